import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import * as sluice from "../../stages/index.js";
import { assert, packageRoot, pluck, rejects, testWith } from "../support/test.js";

interface Job {
  folder: string;
  workbench: sluice.WorkbenchContext;
}

const test = testWith<Job>();
const csv = join(packageRoot, "datasets", "example", "support-requests.csv");
const passphrase = "for this test only";
const nowMs = Date.parse("2026-03-01T12:00:00.500Z");

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-workbench-"));
  const folder = join(context.folder, "workspace");
  context.workbench = await sluice.openWorkbench({ folder, actor: "ann", clock: () => nowMs });
});

test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const projectFile = ({ folder }: Job): string => join(folder, "router", "sluice.yaml");

test("a project runs from any folder, and a second run does nothing", async (context) => {
  const { workbench, folder } = context;
  const made = await sluice.createProject(workbench, { into: join(folder, "router"), source: csv });
  assert.equal(
    pluck(made.files, "state"),
    made.files.map(() => "written"),
  );
  const file = projectFile(context);
  assert.is((await sluice.projectStatus(workbench, { file })).upToDate, false);
  const seen: string[] = [];
  const first = await sluice.runProject(workbench, { file, onStep: ({ name }) => void seen.push(name) });
  assert.equal(seen, ["import", "split", "audit", "score", "plan", "calibrate", "report"]);
  assert.match(first.claims.join(), /^When Sluice routes a request in English with this catalog/);
  const second = await sluice.runProject(workbench, { file });
  assert.ok(second.steps.every(({ state }) => state === "up_to_date"));
  assert.is((await sluice.projectStatus(workbench, { file })).upToDate, true);
});

test("records carry the actor and the clock of the workbench", async ({ workbench }) => {
  const [run, ...others] = await sluice.listRecords(workbench, { kind: "run" });
  assert.equal([run?.actor, run?.at, others.length], ["ann", "2026-03-01T12:00:00Z", 0]);
});

test("every record is read back as its kind", async ({ workbench }) => {
  const entries = await sluice.listRecords(workbench);
  assert.ok(new Set(entries.map(({ kind }) => kind)).size >= 9);
  for (const { kind, sha256: id } of entries) {
    assert.is((await sluice.readStored(workbench, { kind, id })).sha256, id);
  }
  const { document, bytes } = await sluice.readStored(workbench, { kind: "evaluation" });
  assert.is(document.fold, "certify");
  assert.match(bytes.toString("utf8"), /"run_sha256":"[0-9a-f]{64}","schema_version":1,/);
  await rejects(sluice.readStored(workbench, { kind: "collection" }), "RECORD_NOT_FOUND");
});

/** The library's functions with an object of options, and one valid option of each. */
const optionsOfLibrary: readonly (readonly [
  name: string,
  call: (w: sluice.WorkbenchContext, o: never) => unknown,
  known: string,
])[] = [
  ["calibrateRun", sluice.calibrateRun, "target"],
  ["planCalibration", sluice.planCalibration, "targets"],
  ["splitDataset", sluice.splitDataset, "shares"],
  ["runEvaluation", sluice.runEvaluation, "retriever"],
  ["measureRun", sluice.measureRun, "calibration"],
  ["writeReport", sluice.writeReport, "minConfidence"],
  ["auditDataset", sluice.auditDataset, "dataset"],
  ["runProject", sluice.runProject, "baseline"],
  ["signManifest", sluice.signManifest, "producer"],
  ["exportRelease", sluice.exportRelease, "withRecords"],
];

test("500 misspelt options and values of another kind are refused by name, and nothing is stored", async ({
  workbench,
}) => {
  const random = seededRandom(7);
  const before = await sluice.listRecords(workbench);
  const letters = "abcdefghijklmnopqrstuvwxyz_";
  for (let at = 0; at < 500; at += 1) {
    const [name, call, known] = optionsOfLibrary[at % optionsOfLibrary.length] ?? ["", () => undefined, ""];
    const cut = 1 + Math.floor(random.uniform() * (known.length - 1));
    const letter = letters[Math.floor(random.uniform() * letters.length)] ?? "x";
    const misspelt =
      [`${known.slice(0, cut)}${letter}${known.slice(cut)}`, known.slice(0, -1), known.slice(1)][at % 3] ?? "";
    const wrong = at % 4 === 0 ? { [known]: Symbol("wrong") } : { [misspelt]: 0.1 };
    const { message, hint } = await rejects(
      Promise.resolve().then(() => call(workbench, wrong as never)),
      "ARGUMENT_INVALID",
    );
    const named = at % 4 === 0 ? known : misspelt;
    assert.ok(message.includes(`"${named}"`) && message.startsWith(name), message);
    if (at % 4 !== 0) assert.match(hint ?? "", known, `${misspelt}: ${hint}`);
  }
  await rejects(sluice.compareRuns(workbench, { a: { run: "77e1" }, b: "3f9c" } as never), "ARGUMENT_INVALID");
  await rejects(sluice.compareRuns(workbench, { a: "77e1" } as never), "ARGUMENT_INVALID");
  for (const invalid of [
    { target: 2 },
    { delta: -1 },
    { outOfScopeShare: 7 },
    { crossFit: 0.5 },
    { startErrors: ["x"] },
  ]) {
    await rejects(sluice.calibrateRun(workbench, invalid as never), "CALIBRATION_INVALID");
  }
  assert.equal(await sluice.listRecords(workbench), before);
});

test("rows in memory are the dataset that the same rows of a file are", async ({ workbench, folder }) => {
  const file = join(folder, "router", "requests.jsonl");
  const fromFile = await sluice.importDataset(workbench, { file, format: "jsonl" });
  const rows = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  const fromMemory = await sluice.importDataset(workbench, { requests: rows as never });
  assert.is(fromMemory.dataset, fromFile.dataset);
  assert.is(fromMemory.known_since, "2026-03-01T12:00:00Z");
  const requests = [{ id: "1", text: "hello", workflow_id: "Not an id", group_id: null }];
  assert.match((await rejects(sluice.importDataset(workbench, { requests }), "DOCUMENT_INVALID")).message, /line 1/);
});

test("findings are accepted by a person with a name only", async ({ workbench }) => {
  const audited = await sluice.auditDataset(workbench, { accept: "known" });
  assert.is(audited.usable, true);
  const nobody = { ...workbench, actor: "unknown" };
  await rejects(sluice.auditDataset(nobody, { accept: "known" }), "USAGE");
});

test("a run is measured and compared without being scored again", async ({ workbench }) => {
  const measured = await sluice.measureRun(workbench, { fold: "all" });
  assert.equal([measured.imported, measured.undecided, measured.evaluation.fold], [false, null, "all"]);
  const sides = { a: measured.runId, b: measured.runId };
  const same = await sluice.compareRuns(workbench, sides);
  assert.is(same.comparison?.total.flips, 0);
  const { comparison, texts } = await sluice.compareRuns(workbench, { ...sides, minConfidenceB: 0, withTexts: true });
  assert.ok((comparison?.total.flips ?? 0) > 0);
  assert.ok((texts?.size ?? 0) > 0);
  assert.is((await sluice.listRecords(workbench, { kind: "run" })).length, 1);
});

test("a bundle is signed, approved, exported, rejected and revoked", async ({ workbench, folder }) => {
  const signers = new Map<string, sluice.Signer>();
  for (const name of ["ann", "bo", "cy"]) {
    await sluice.createKeyFile(join(folder, `${name}.pem`), passphrase, 1000);
    signers.set(name, await sluice.openPrivateKey(join(folder, `${name}.pem`), passphrase));
  }
  const signer = (name: string) => async (): Promise<sluice.Signer> => {
    const found = signers.get(name);
    if (found === undefined) throw new Error(`${name} has no key`);
    return found;
  };
  const principal = [...signers].map(([name, { publicKey }]) => ({ name, publicKey }));
  const people = { principal, producer: ["ann"], approver: ["bo", "cy"], expires: 86_400 * 60 };
  const { warnings } = await sluice.createTrustPolicy(workbench, people);
  assert.equal(warnings, []);
  await rejects(sluice.createTrustPolicy(workbench, people), "FILE_EXISTS");

  await rejects(sluice.signManifest(workbench, { producer: "bo", signer: signer("bo") }), "ROLE_MISMATCH");
  const signed = await sluice.signManifest(workbench, { producer: "ann", signer: signer("ann") });
  assert.equal([signed.release, signed.supersedes, signed.certified, signed.producer_checked], [1, null, true, true]);

  await rejects(sluice.exportRelease(workbench), "THRESHOLD_NOT_MET");
  const before = await sluice.readRelease(workbench);
  assert.equal([before.bundle_id, before.status?.missing], [signed.bundle_id, 2]);
  const pageDigest = "0".repeat(64);
  const bo = { approver: "bo", signer: signer("bo") };
  await rejects(sluice.approveRelease(workbench, { ...bo, pageDigest }), "IDENTITY_MISMATCH");
  await rejects(sluice.approveRelease(workbench, { ...bo, days: 0.5 }), "ARGUMENT_INVALID");
  const first = await sluice.approveRelease(workbench, { ...bo, pageDigest: before.page_status.page_sha256 });
  assert.equal([first.status.missing, first.status.approved], [1, false]);
  const second = await sluice.approveRelease(workbench, { approver: "cy", signer: signer("cy"), reason: "read" });
  assert.is(second.status.approved, true);

  const tar = join(folder, "bundle.tar");
  const exported = await sluice.exportRelease(workbench, { tar });
  assert.equal([exported.bundle_id, exported.approvals], [signed.bundle_id, ["bo", "cy"]]);
  assert.is(
    (await sluice.signManifest(workbench, { producer: "ann", signer: signer("ann") })).supersedes,
    signed.bundle_id,
  );

  const verified = await sluice.verifyRelease(workbench, { directory: tar });
  assert.equal([verified.bundle_id, verified.can_sign, verified.not_counted], [signed.bundle_id, [], []]);
  const unpacked = await sluice.importRelease(workbench, { archive: tar, out: join(folder, "unpacked") });
  assert.is(unpacked.bundle_id, signed.bundle_id);
  const { entries, path } = await sluice.verifyWorkspace(workbench);
  assert.equal([entries > 0, path], [true, workbench.workspace.history]);
  await rejects(sluice.restoreWorkspace(workbench, path), "FILE_EXISTS");

  const rejected = await sluice.rejectRelease(workbench, { ...bo, bundle: signed.bundle_id, reason: "wrong refunds" });
  assert.equal([rejected.decision, rejected.status.approved], ["reject", false]);
  const bundle = [signed.bundle_id.slice(0, 12)];
  const revoked = await sluice.revokeTargets(workbench, { bundle, revoker: "bo", signer: signer("bo") });
  assert.equal(
    revoked.added.map(({ kind, sha256 }) => [kind, sha256]),
    [["bundle", signed.bundle_id]],
  );
  const again = await sluice.revokeTargets(workbench, { bundle, revoker: "cy", signer: signer("cy") });
  for (const { kind, sha256: id } of await sluice.listRecords(workbench))
    await sluice.readStored(workbench, { kind, id });
  assert.equal([again.list.sequence, again.added.length, again.list.revoked.length], [2, 0, 1]);
});
