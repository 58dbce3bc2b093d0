/** What verifies must start: everything that a server checks is checked before anybody signs, and by bundle verify. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReleasePage } from "../../reports/release/release-page.js";
import { runCli } from "../../cli/run-cli.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { testNow, testRevocations, testTrustBytes } from "../support/builders-artifacts.js";
import { type BundleChanges, writeServableBundle } from "../support/servable-bundle.js";
import { approveTwice, inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { fitLexical, signedBy, succeed, writeSmallDataset, writeSmallTrust } from "./support/small-workspace.js";
import { testWorld } from "./support/test-world.js";

interface Named {
  readonly workflow_id: string;
  owner?: string;
}

/** The small catalog, one workflow of which nobody owns, one field for each line. */
async function writeOwnerless(cwd: string): Promise<{ readonly id: string; readonly line: number }> {
  await writeSmallDataset(cwd, { patterns: true });
  const file = join(cwd, "catalog.yaml");
  const catalog = JSON.parse(await readFile(file, "utf8")) as { readonly workflows: readonly Named[] };
  const [first] = catalog.workflows;
  delete first?.owner;
  const text = JSON.stringify(catalog, null, 1);
  await writeFile(file, text);
  const id = first?.workflow_id ?? "";
  // The line of the brace in front of the workflow id.
  return { id, line: text.slice(0, text.indexOf(`"${id}"`)).split("\n").length - 1 };
}

test("a catalog without an owner is reported at import and refused before the manifest is signed", () =>
  inTemporaryFolder(async (cwd) => {
    const { id, line } = await writeOwnerless(cwd);
    const warning = `not ready for production: catalog.yaml:${line}: ${id}: no owner: the field "owner" is missing\n`;
    assert.match((await sluice(["catalog", "check", "catalog.yaml"], { cwd })).stderr, warning);
    const source = ["requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml"];
    const imported = await sluice(["dataset", "import", ...source], { cwd });
    assert.is(imported.code, 0, imported.stderr);
    assert.match(imported.stderr, warning);

    await succeed(cwd, "dataset", "split");
    await succeed(cwd, "dataset", "audit", "--accept", "a part of invented data", "--actor", "ann");
    await fitLexical(cwd);
    await succeed(cwd, "eval", "run");
    await succeed(cwd, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
    await writeSmallTrust(cwd);
    const signing = ["manifest", "create", "--producer", "ann", ...signedBy("ann")];
    const { code, stderr } = await sluice(signing, { cwd });
    assert.is(code, 4);
    assert.match(stderr, `CATALOG_NOT_PRODUCTION: ${id}: no owner`);
    const log = await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "manifest");
    assert.equal(log.entries, []);
  }));

test("a manifest is not signed by somebody who is no producer, nor with the key of somebody else", () =>
  inRelease(async (cwd) => {
    for (const [producer, key, code] of [
      ["bo", "bo", "ROLE_MISMATCH"],
      ["ann", "bo", "SIGNATURE_INVALID"],
    ] as const) {
      const refused = await sluice(["manifest", "create", "--producer", producer, ...signedBy(key)], { cwd });
      assert.is(refused.code, 4, refused.stderr);
      assert.match(refused.stderr, code);
    }
    const log = await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "manifest");
    assert.is(log.entries.length, 1);
  }));

interface Verified {
  readonly required: number;
  readonly can_sign: readonly string[];
  readonly not_counted: readonly { readonly code: string }[];
  readonly revocation_list: { readonly sequence: number; readonly issued_at: string } | null;
}

/** Runs `bundle verify` in this process at the time of the built bundles, on one that was spoiled after it was built. */
async function verify(
  folder: string,
  changes: BundleChanges = {},
  more: readonly string[] = [],
  spoil: (bundle: string) => Promise<void> = async () => undefined,
) {
  const bundle = join(folder, "bundle");
  await writeServableBundle(bundle, "catalog-1", changes);
  await spoil(bundle);
  await writeFile(join(folder, "trust.json"), testTrustBytes());
  const world = testWorld({ clock: () => testNow.getTime() });
  const args = ["bundle", "verify", bundle, "--trust", join(folder, "trust.json"), ...more];
  const code = await runCli(args, world);
  return { code, ...world.written };
}

const replaced = (path: string, from: string, to: string): BundleChanges => ({
  files: (files) => {
    files.set(path, Buffer.from(String(files.get(path)).replace(from, to)));
  },
});

const refusals: readonly (readonly [string, BundleChanges, RegExp])[] = [
  ["a workflow that nobody owns", replaced("catalog.yaml", "orders-team", "unknown"), /CATALOG_NOT_PRODUCTION/],
  ["another top-K than the manifest", { manifest: { top_k: 9 } }, /IDENTITY_MISMATCH.*topK: running 8, signed 9/],
  ["golden decisions that differ", replaced("golden.json", "ACCEPTED_LOW_RISK", "NO_WORKFLOW"), /WARMUP_FAILED/],
  ["a graph that does not load", replaced("models/verifier/model.onnx", "", "no graph "), /MODEL_/],
];
for (const [name, changes, says] of refusals) {
  test(`bundle verify refuses an approved bundle with ${name}, as a server does`, () =>
    inTemporaryFolder(async (folder) => {
      const { code, stdout, stderr } = await verify(folder, changes);
      assert.is.not(code, 0);
      assert.is(stdout, "");
      assert.match(stderr, says);
    }));
}

test("one changed byte of a bundle ends with 4 and names the file", () =>
  inTemporaryFolder(async (folder) => {
    const spoil = (bundle: string): Promise<void> => writeFile(join(bundle, "catalog.yaml"), "other bytes");
    const { code, stderr } = await verify(folder, {}, [], spoil);
    assert.is(code, 4);
    assert.match(stderr, /error {4}HASH_MISMATCH: .*catalog\.yaml/);
  }));

test("bundle verify names approvals and start problems together", () =>
  inTemporaryFolder(async (folder) => {
    const changes = { ...replaced("catalog.yaml", "orders-team", "unknown"), approvers: ["ana"] };
    const { code, stderr } = await verify(folder, changes);
    assert.is(code, 4);
    assert.match(
      stderr,
      /2 problems: \(1\) 1 of 2 required approvals \(ana\); missing: 1; can still sign: bob, carl; .*no owner/,
    );
  }));

test("bundle verify says who can still sign, what does not count, and which list was consulted or that none was", () =>
  inTemporaryFolder(async (folder) => {
    const none = await verify(folder, { approvers: ["ana", "bob", "pam"] });
    assert.is(none.code, 0, none.stderr);
    assert.match(none.stdout, /approval +ana, until 2026-04-01T00:00:00Z\n/);
    assert.match(
      none.stdout,
      /verdict +approved for production; servers decline every request from 2026-04-01T00:01:00Z, when the approvals expire/,
    );
    assert.match(none.stdout, /required +2 approvals; carl can sign too\n/);
    assert.match(none.stdout, /revocations +no list was read\n/);
    assert.match(none.stderr, /not counted: .*"pam" produced the bundle/);

    const issued = "2026-03-01T00:00:00Z";
    await writeFile(join(folder, "revocations.json"), await testRevocations([], { sequence: 7 }));
    assert.match((await verify(folder)).stdout, `list 7 of ${issued}\n`);
    const { stdout } = await verify(folder, {}, ["--json"]);
    const { result } = JSON.parse(stdout) as { readonly result: Verified };
    assert.equal(result.revocation_list, { sequence: 7, issued_at: issued });
    assert.equal([result.required, result.can_sign, result.not_counted], [2, ["carl"], []]);
  }));

test("doctor runs the start of the bundle of the workspace", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export");
    const good = await sluice(["doctor"], { cwd });
    assert.is(good.code, 0, good.stdout);
    assert.match(good.stdout, /ok +bundle +[0-9a-f]{12}, starts; approved for production until/);
    await writeFile(join(cwd, "sluice-workspace", "bundle", "policy.json"), "{}");
    const bad = await sluice(["doctor"], { cwd });
    assert.is(bad.code, 1);
    assert.match(bad.stdout, /BROKEN +bundle +HASH_MISMATCH: .*policy\.json.*sluice bundle verify/);
  }));

test("manifest show, the page and report eval print one verdict, on everything and on each claim", () =>
  inRelease(async (cwd) => {
    const shown = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show");
    const report = await succeed<{ verdict: string; sentence: string }>(cwd, "report", "eval", "--out", "page.html");
    assert.equal([shown.page.verdict, shown.page.verdict_sentence], [report.verdict, report.sentence]);
    const page = await readFile(join(cwd, "page.html"), "utf8");
    const badges = [
      ...page.matchAll(
        /<article class="card" aria-labelledby="claim-[^"]+"><h3[^>]*>(?:Tier )?(\w+) <span[^>]*><span[^>]*>[^<]*<\/span>([^<]+)</g,
      ),
    ].map(([, scope, said]) => [scope?.toLowerCase(), said]);
    assert.equal(
      shown.page.claims.map(({ scope, verdict }) => [scope.replace("tier ", ""), verdict]),
      badges,
    );
    const { stdout } = await sluice(["manifest", "show"], { cwd });
    assert.match(stdout, `Gates\n  ${shown.page.verdict}: ${shown.page.verdict_sentence}\n`);
    assert.not.match(stdout, "Gates that are not met");
  }));
