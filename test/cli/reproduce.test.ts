/** A claim that is derived again from the records or the scores, and producers who signed something else. */
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fitInputOf } from "../../calibrate/fit-options.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { scoredTableBytes } from "../../eval/scored-table.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import type { CalibrationWire } from "../../src/domain/calibration.js";
import { riskTiers } from "../../src/domain/choices.js";
import type { RunWire, ScoredRecord } from "../../src/domain/scored-record.js";
import type { Fold } from "../../src/domain/choices.js";
import { fitThresholds, fittedOn } from "../../workbench/calibration/fit-thresholds.js";
import { evaluateRun } from "../../workbench/evaluation/evaluate-run.js";
import { openWorkbench } from "../../workbench/index.js";
import { readCalibration, readRun, readScoredRecords } from "../../workbench/records/read-records.js";
import { keepRecord, type Stage } from "../../workbench/records/stage.js";
import { withHistory } from "../../workbench/records/with-history.js";
import { codeBlocks, docPage, docSection } from "../support/doc-page.js";
import { inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { signedBy, succeed } from "./support/small-workspace.js";

const test = suite("cli/reproduce");

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

const inHistory = async <T>(cwd: string, use: (stage: Stage) => Promise<T>): Promise<T> =>
  withHistory(await openWorkbench({ folder: join(cwd, "sluice-workspace") }), "write", use);

const wireOf = (bytes: Buffer): CalibrationWire => JSON.parse(bytes.toString("utf8")) as CalibrationWire;

/** Signs a bundle around a calibration that the producer wrote: its id. */
async function signForged(cwd: string, forge: (wire: CalibrationWire, stage: Stage) => CalibrationWire) {
  const calibration = await inHistory(cwd, async (stage) => {
    const { bytes, document } = readCalibration(stage.history);
    const { sha256 } = keepRecord(stage, "calibration", canonicalBytes(forge(wireOf(bytes), stage)));
    evaluateRun(stage, { runId: document.digests.run, calibrationId: sha256, fold: "eval" });
    return sha256;
  });
  const signing = ["--producer", "ann", ...signedBy("ann"), "--bundle-version", `forged-${calibration.slice(0, 8)}`];
  const created = await succeed<{ bundle_id: string }>(
    cwd,
    "manifest",
    "create",
    "--calibration",
    calibration,
    ...signing,
  );
  return created.bundle_id;
}

const [page = ""] = codeBlocks(docSection(docPage("signing.md"), "Deriving the claim again"), "");

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

test("a threshold that the producer nudged before signing is named, with its effect", () =>
  inRelease(async (cwd) => {
    const { document } = await inHistory(cwd, async ({ history }) => readCalibration(history));
    const tier = riskTiers.toReversed().find((one) => document.tiers[one].confidence !== null);
    if (tier === undefined) throw new Error("no tier is certified");
    const bundle = await signForged(cwd, ({ tiers, ...rest }) => {
      const nudged = { ...tiers[tier], confidence: (1 + (tiers[tier].confidence ?? 0)) / 2 };
      return { ...rest, tiers: { ...tiers, [tier]: nudged } };
    });
    const found = await reproduce(cwd, 4, bundle);
    assert.equal(pathsOf(found, "calibration"), [`tiers.${tier}.confidence`]);
    const shown = found.thresholds.find((one) => one.tier === tier);
    assert.not.equal(shown?.signed, shown?.derived);
    assert.ok(found.decisions.changed.length > 0);
    const { stdout } = await sluice(["reproduce", bundle], { cwd });
    assert.match(stdout, new RegExp(`tiers\\.${tier}\\.confidence: signed \\d`));
    assert.match(stdout, /certification records are decided differently/);
  }));

test("a count that the producer changed by one is named", () =>
  inRelease(async (cwd) => {
    const bundle = await signForged(cwd, (wire) => ({
      ...wire,
      claims: wire.claims.map((claim, at) => (at === 0 ? { ...claim, routed: claim.routed + 1 } : claim)),
    }));
    const found = await reproduce(cwd, 4, bundle);
    assert.equal(pathsOf(found, "calibration"), ["claims.0.routed"]);
    assert.equal(found.decisions.changed, []);
  }));

const swapped: Partial<Record<Fold, Fold>> = { certify: "eval", eval: "certify" };

test("a calibration that was fitted on other folds than the split's is named", () =>
  inRelease(async (cwd) => {
    const bundle = await signForged(cwd, (wire, stage) => {
      const run = readRun(stage.history, wire.digests.run);
      const { fit } = readCalibration(stage.history).document;
      if (fit === undefined) throw new Error("the calibration does not state its options");
      const records = readScoredRecords(stage.history, run).map((record) => ({
        ...record,
        fold: swapped[record.fold] ?? record.fold,
      }));
      const version = wire.calibration_version;
      return fitCalibration({ ...fitInputOf(fit), records, digests: fittedOn(run), version });
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
  const forged = { ...chosen, candidates: [{ ...first, retrievalScore: first.retrievalScore + 1 }, ...others] };
  return { id: chosen.id, changed: records.map((record) => (record === chosen ? forged : record)) };
}

test("a run with one altered record is consistent in itself; scoring again names the record", () =>
  inRelease(async (cwd) => {
    const { id, calibration } = await inHistory(cwd, async (stage) => {
      const run = readRun(stage.history);
      const forged = withOneChange(readScoredRecords(stage.history, run));
      const table = scoredTableBytes(forged.changed);
      const wire = { ...(JSON.parse(run.bytes.toString("utf8")) as RunWire), records_sha256: sha256Hex(table) };
      const { sha256: runId } = keepRecord(stage, "run", canonicalBytes(wire), [table]);
      const fitted = await fitThresholds(stage, { runId, target: 0.7, delta: 0.6, version: "forged" });
      return { id: forged.id, calibration: fitted.calibration.sha256 };
    });
    const signing = ["--producer", "ann", ...signedBy("ann")];
    await succeed(cwd, "manifest", "create", "--calibration", calibration, ...signing);
    assert.is((await reproduce(cwd, 0)).equal, true);
    const found = await reproduce(cwd, 4, "--from", "scores");
    assert.equal(pathsOf(found, "records"), [`${id}.candidates.0.retrievalScore`]);
  }));

test("a fit with background rows is derived again from their stored scores, and from new ones", () =>
  inRelease(async (cwd) => {
    const signed = await inHistory(cwd, async (stage) => {
      const share = { outOfScopeShare: 0.1, background: "shipped" } as const;
      const fitted = await fitThresholds(stage, { target: 0.7, delta: 0.6, version: "background", ...share });
      assert.is(fitted.calibration.document.fit?.background?.rows, 300);
      return fitted.calibration.sha256;
    });
    const signing = ["--producer", "ann", ...signedBy("ann"), "--bundle-version", "background"];
    await succeed(cwd, "manifest", "create", "--calibration", signed, ...signing);
    assert.is((await reproduce(cwd, 0)).equal, true);
    assert.is((await reproduce(cwd, 0, "--from", "scores")).equal, true);
  }));

test("a calibration of version 2 does not state its options, and the error says so", () =>
  inRelease(async (cwd) => {
    const bundle = await signForged(cwd, ({ fit, ...wire }) => {
      assert.ok(fit);
      return { ...wire, schema_version: 2 };
    });
    const { code, stderr } = await sluice(["reproduce", bundle], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /NOT_REPRODUCIBLE/);
    assert.match(stderr, /does not state the options of its fit, expected version 3/);
  }));

test.run();
