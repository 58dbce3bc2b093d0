/** A claim that is derived again from the records or the scores, and producers who signed something else. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import { recordFiles } from "../../src/trust/bundle-layout.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { riskTiers, type Fold } from "../../src/documents/choices.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import type { BundleIndex } from "../../src/documents/signed.js";
import { fitThresholds } from "../../stages/fit/fit-thresholds.js";
import { fittedOn } from "../../stages/fit/stored-input.js";
import { evaluateRun } from "../../stages/evaluate.js";
import { openWorkbench } from "../../stages/index.js";
import { readCalibration, readDataset, readRun, readScoredRecords } from "../../store/records/read-records.js";
import { saveRecord, type Session, withHistory } from "../../store/records/session.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { codeBlocks, docPage, docSection, wordsOf } from "../support/doc-page.js";
import { approveAs, approveTwice, inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { people, type Person, signedBy, succeed } from "./support/small-workspace.js";

interface Result {
  readonly equal: boolean;
  readonly from: string;
  readonly platform: { readonly node: string };
  readonly compared: readonly {
    readonly name: string;
    readonly equal: boolean;
    readonly differences: readonly { readonly path: string; readonly signed: unknown; readonly derived: unknown }[];
  }[];
  readonly thresholds: readonly { readonly tier: string; readonly signed: unknown; readonly derived: unknown }[];
  readonly decisions: { readonly records: number; readonly changed: readonly string[] };
}

async function reproduce(cwd: string, code: number, ...args: readonly string[]): Promise<Result> {
  const finished = await sluice(["reproduce", ...args, "--json"], { cwd });
  assert.is(finished.code, code, finished.stderr);
  return (JSON.parse(finished.stdout) as { readonly result: Result }).result;
}

const pathsOf = ({ compared }: Result, name: string): readonly string[] =>
  compared.find((one) => one.name === name)?.differences.map(({ path }) => path) ?? [];

const inHistory = async <T>(cwd: string, use: (session: Session) => Promise<T>): Promise<T> =>
  withHistory(await openWorkbench({ folder: join(cwd, "sluice-workspace") }), "write", use);

const wireOf = (bytes: Buffer): Calibration => JSON.parse(bytes.toString("utf8")) as Calibration;

/** Signs a bundle around a calibration that the producer wrote: its id. */
async function signForged(cwd: string, forge: (wire: Calibration, session: Session) => Calibration) {
  const calibration = await inHistory(cwd, async (session) => {
    const { bytes, document } = readCalibration(session.history);
    const { sha256 } = saveRecord(session, "calibration", canonicalBytes(forge(wireOf(bytes), session)));
    evaluateRun(session, { runId: document.digests.run, calibrationId: sha256, fold: "eval" });
    return sha256;
  });
  const signing = ["--producer", "ann", ...signedBy("ann"), "--bundle-version", `forged-${calibration.slice(0, 8)}`];
  const created = await succeed<{ bundle_id: string }>(
    cwd,
    ...wordsOf(`manifest create --calibration ${calibration}`),
    ...signing,
  );
  return created.bundle_id;
}

const [page = "", carried = ""] = codeBlocks(
  docSection(docPage("how-to/reproduce-a-claim.md"), "Deriving the claim again"),
  "",
);

/** Words of the lines that carry a claim to somebody without the history, without the name of the program. */
const carrying = carried
  .trim()
  .split("\n")
  .map((line) => line.split(" ").slice(1));

test("the lines of the signing page find the claim equal, from records and scores, and save nothing", () =>
  inRelease(async (cwd, { bundle }) => {
    const before = await succeed<{ entries: unknown }>(cwd, "history", "log");
    const [first = [], second = []] = page
      .trim()
      .split("\n")
      .map((line) => line.replace("3f9c01ab", bundle.slice(0, 8)).split(" ").slice(2));
    const fromRecords = await reproduce(cwd, 0, ...first);
    assert.equal(
      fromRecords.compared.map(({ name, equal }) => [name, equal]),
      [
        ["identities", true],
        ["calibration", true],
        ["evaluation", true],
      ],
    );
    assert.equal(fromRecords.decisions.changed, []);
    assert.is(fromRecords.platform.node, process.versions.node);
    const fromScores = await reproduce(cwd, 0, ...second);
    assert.equal([fromScores.equal, fromScores.from, fromScores.compared.length], [true, "scores", 4]);
    assert.equal(await succeed(cwd, "history", "log"), before);
  }));

test("a threshold that the producer nudged and a count changed by one are named with their effect; nobody approves it", () =>
  inRelease(async (cwd) => {
    const { document } = await inHistory(cwd, async ({ history }) => readCalibration(history));
    const tier = riskTiers.toReversed().find((one) => document.tiers[one].confidence !== null);
    if (tier === undefined) throw new Error("no tier is certified");
    const bundle = await signForged(cwd, ({ tiers, claims, ...rest }) => {
      const nudged = { ...tiers[tier], confidence: (1 + (tiers[tier].confidence ?? 0)) / 2 };
      const counted = claims.map((claim, at) => (at === 0 ? { ...claim, routed: claim.routed + 1 } : claim));
      return { ...rest, claims: counted, tiers: { ...tiers, [tier]: nudged } };
    });
    const found = await reproduce(cwd, 4, bundle);
    assert.equal([...pathsOf(found, "calibration")].sort(), ["claims.0.routed", `tiers.${tier}.confidence`]);
    const shown = found.thresholds.find((one) => one.tier === tier);
    assert.not.equal(shown?.signed, shown?.derived);
    assert.ok(found.decisions.changed.length > 0);
    const { stdout } = await sluice(["reproduce", bundle], { cwd });
    assert.match(stdout, new RegExp(`tiers\\.${tier}\\.confidence: signed \\d`));
    assert.match(stdout, /certification records get a different decision/);
    const refused = await approveAs(cwd, "bo", "--bundle", bundle, "--reproduce");
    assert.is(refused.code, 4);
    assert.match(refused.stderr, "REPRODUCTION_DIFFERS");
    assert.match(refused.stderr, /calibration in claims\.0\.routed, tiers\.\w+\.confidence/);
    assert.equal((await succeed<Log>(cwd, "history", "log", "--kind", "approval")).entries, []);
  }));

interface Log {
  readonly entries: readonly unknown[];
}

interface Decided {
  readonly reproduction: object | null;
  readonly status: {
    readonly approved: boolean;
    readonly reproductions: object;
    readonly can_sign: readonly string[];
  };
}

/** A policy like that of the workspace, which demands one reproduction. */
async function demandReproduction(cwd: string): Promise<readonly string[]> {
  const principals = people.flatMap((who) => ["--principal", `${who}=sluice-workspace/keys/${who}.pub.pem`]);
  const roles = ["--producer", "ann", ...people.flatMap((who) => ["--approver", who])];
  const demand = ["--require-reproduction", "1", "--expires", "365d", "--out", "demanding.json"];
  await succeed(cwd, "trust", "create", ...principals, ...roles, ...demand);
  const { stdout } = await sluice(["trust", "show", "--trust", "demanding.json"], { cwd });
  assert.match(stdout, "production: 2 of ann, bo, cy; 1 of them must reproduce the claim");
  return ["--trust", "demanding.json"];
}

/** Writes a file of a bundle and its new digest into bundle.json, as somebody with write access could. */
function forgeFile(bundle: string, path: string, bytes: Buffer): void {
  const index = JSON.parse(readFileSync(join(bundle, "bundle.json"), "utf8")) as BundleIndex;
  const files = index.files.map((f) => (f.path === path ? { path, size: bytes.length, sha256: sha256Hex(bytes) } : f));
  writeFileSync(join(bundle, path), bytes);
  writeFileSync(join(bundle, "bundle.json"), canonicalBytes({ ...index, files }));
}

test("an approver states the reproduction that the policy demands, and the bundle alone gives its claim", () =>
  inRelease(async (cwd) => {
    const trust = await demandReproduction(cwd);
    const approve = async (who: Person, ...more: readonly string[]) =>
      succeed<Decided>(cwd, "approve", "--approver", who, ...signedBy(who), "--yes", ...trust, ...more);
    const [bo, cy] = [await approve("bo"), await approve("cy")];
    assert.equal([bo.reproduction, cy.status.approved], [null, false]);
    assert.equal(cy.status.reproductions, { required: 1, missing: 1 });
    assert.equal(cy.status.can_sign, ["bo", "cy"]);
    const refused = await sluice(["bundle", "export", "--out", "released", ...trust], { cwd });
    assert.is(refused.code, 4);
    assert.match(refused.stderr, /REPRODUCTION_MISSING[^]*0 of 1 required reproductions[^]*--reproduce/);
    const [derive = [], carry = [], deriveElsewhere = []] = carrying;
    const derived = await succeed<Decided>(cwd, ...derive, ...signedBy("cy").slice(2), "--yes", ...trust);
    assert.match(JSON.stringify(derived.reproduction), /^{"from":"records"/);
    assert.is(derived.status.approved, true);
    const shown = await sluice(["manifest", "show", ...trust], { cwd });
    assert.match(shown.stdout, /bo and cy approved; cy reproduced the claim from the records/);
    await succeed(cwd, ...carry, "--tar", "released.tar", ...trust);
    const verified = await sluice(["bundle", "verify", "released", ...trust], { cwd });
    assert.match(verified.stdout, /approval +cy, until \S+, reproduced the claim from the records/);
    assert.equal(deriveElsewhere, ["reproduce", "released"]);
    await deriveFromBundle(join(cwd, "released"), readFileSync(join(cwd, "requests.jsonl"), "utf8"));
  }));

async function deriveFromBundle(released: string, requests: string): Promise<void> {
  await inTemporaryFolder(async (elsewhere) => {
    const found = await reproduce(elsewhere, 0, released);
    assert.equal([found.equal, found.compared.length, found.decisions.changed], [true, 3, []]);
    assert.equal(readdirSync(elsewhere), []);
    const scores = await sluice(["reproduce", `${released}.tar`, "--from", "scores"], { cwd: elsewhere });
    assert.match(scores.stderr, /NOT_REPRODUCIBLE: \S*released\.tar: bundles contain no request texts/);
    const table = readFileSync(join(released, recordFiles.scored));
    const texts = requests
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly text: string }).text);
    const bytes = table.toString("latin1");
    assert.equal(
      texts.filter((text) => bytes.includes(text)),
      [],
    );

    const records = readScoredTable(table, "records");
    const changed = withOneChange(records).changed;
    forgeFile(released, recordFiles.scored, Buffer.from(scoredTableBytes(changed)));
    const refused = await sluice(["reproduce", released], { cwd: elsewhere });
    assert.is(refused.code, 4);
    assert.match(refused.stderr, /HASH_MISMATCH[^]*records\/scored\.arrow/);
  });
}

const swapped: Partial<Record<Fold, Fold>> = { certify: "eval", eval: "certify" };

test("a calibration that was fitted on other folds than the split's is named", () =>
  inRelease(async (cwd) => {
    const bundle = await signForged(cwd, (wire, session) => {
      const run = readRun(session.history, wire.digests.run);
      const { background: _, follow_ups: __, ...fit } = readCalibration(session.history).document.fit;
      const records = readScoredRecords(session.history, run).map((record) => ({
        ...record,
        fold: swapped[record.fold] ?? record.fold,
      }));
      const version = wire.calibration_version;
      return fitCalibration({ ...fit, records, digests: fittedOn(run), version });
    });
    const found = await reproduce(cwd, 4, bundle);
    assert.ok(pathsOf(found, "calibration").some((path) => path.startsWith("claims.0.")));
  }));

/** The same records, with another score of one candidate of a tested request. */
function withOneChange(records: readonly ScoredRecord[]): {
  readonly id: string;
  readonly changed: readonly ScoredRecord[];
} {
  const chosen = records.find(({ fold, candidates }) => fold === "certify" && candidates.length > 1);
  const [first, ...others] = chosen?.candidates ?? [];
  if (chosen === undefined || first === undefined) throw new Error("no record was certified");
  const forged = { ...chosen, candidates: [{ ...first, retrieval_score: first.retrieval_score + 1 }, ...others] };
  return { id: chosen.id, changed: records.map((record) => (record === chosen ? forged : record)) };
}

test("a run with one altered record is consistent in itself; scoring again names the record", () =>
  inRelease(async (cwd) => {
    const { id, calibration } = await inHistory(cwd, async (session) => {
      const run = readRun(session.history);
      const forged = withOneChange(readScoredRecords(session.history, run));
      const table = scoredTableBytes(forged.changed);
      const wire = { ...(JSON.parse(run.bytes.toString("utf8")) as Run), records_sha256: sha256Hex(table) };
      const { sha256: runId } = saveRecord(session, "run", canonicalBytes(wire), [table]);
      const fitted = await fitThresholds(session, { run: runId, target_risk: 0.7, delta: 0.6, version: "forged" });
      return { id: forged.id, calibration: fitted.calibration.sha256 };
    });
    const signing = ["--producer", "ann", ...signedBy("ann")];
    await succeed(cwd, "manifest", "create", "--calibration", calibration, ...signing);
    assert.is((await reproduce(cwd, 0)).equal, true);
    const found = await reproduce(cwd, 4, "--from", "scores");
    assert.equal(pathsOf(found, "records"), [`${id}.candidates.0.retrieval_score`]);
  }));

/** A run of the same requests without those that are out of scope: its id. */
function withoutOutOfScope(session: Session): string {
  const run = readRun(session.history);
  const table = scoredTableBytes(
    readScoredRecords(session.history, run).filter(({ workflow_id: workflowId }) => workflowId !== null),
  );
  const wire = { ...(JSON.parse(run.bytes.toString("utf8")) as Run), records_sha256: sha256Hex(table) };
  return saveRecord(session, "run", canonicalBytes(wire), [table]).sha256;
}

const followUpCount = 40;

/** Requests of the history as follow-ups of conversations of four. */
const followUpLines = ({ history }: Session): string =>
  readDataset(history, readRun(history).document.dataset_sha256)
    .document.filter(({ workflow_id: id }) => id !== null)
    .slice(0, followUpCount)
    .map(({ text, workflow_id }, index) => {
      const row = { id: `f${index}`, text, workflow_id, group_id: `c${index % 10}`, previous: { workflow_id } };
      return `${JSON.stringify(row)}\n`;
    })
    .join("");

test("a fit with background rows and follow-ups is derived again from their stored scores, and from new ones", () =>
  inRelease(async (cwd) => {
    const signed = await inHistory(cwd, async (session) => {
      const { sha256: runId } = readRun(session.history);
      const choices = { target_risk: 0.7, delta: 0.6, version: "background", out_of_scope_share: 0.1 };
      const labelled = await fitThresholds(session, { ...choices, run: runId });
      assert.is(labelled.calibration.document.fit.background, undefined);
      const byDefault = await fitThresholds(session, { ...choices, run: withoutOutOfScope(session) });
      assert.is(byDefault.calibration.document.fit.background?.rows, 300);
      const followUps = join(cwd, "follow-ups.jsonl");
      writeFileSync(followUps, followUpLines(session));
      const fitted = await fitThresholds(session, { ...choices, run: runId, background: "shipped", followUps });
      const { follow_ups: stated } = fitted.calibration.document.fit;
      assert.equal([stated?.rows, stated?.attempt], [followUpCount, 1]);
      assert.is(fitted.calibration.document.fit.background?.rows, 300);
      return fitted.calibration.sha256;
    });
    const signing = ["--producer", "ann", ...signedBy("ann"), "--bundle-version", "background"];
    await succeed(cwd, "manifest", "create", "--calibration", signed, ...signing);
    assert.is((await reproduce(cwd, 0)).equal, true);
    assert.is((await reproduce(cwd, 0, "--from", "scores")).equal, true);
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--out", "released", "--with-records");
    const carriedRows = readScoredTable(readFileSync(join(cwd, "released", recordFiles.follow_ups)), "follow-ups");
    assert.is(carriedRows.filter(({ followUp }) => followUp !== undefined).length, followUpCount);
    assert.is((await reproduce(cwd, 0, "released")).equal, true);
  }));
