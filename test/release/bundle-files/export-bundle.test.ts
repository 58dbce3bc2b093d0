import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import { exportBundle } from "../../../release/bundle-files/export-bundle.js";
import { writeFolder } from "../../../release/bundle-files/write-folder.js";
import { manifestStatement } from "../../../release/signing/statements.js";
import { signStatement } from "../../../release/signing/sign-statement.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { assert, inTemporaryFolder, packageRoot, rejects, test } from "../../support/test.js";
import { testFiles, testManifest, testSigner, writeTestBundle } from "../../support/builders-artifacts.js";

const signedManifest = () => signStatement(manifestStatement(testManifest(testFiles())), testSigner("pam"));

async function exportTo(directory: string, files: ReadonlyMap<string, Buffer>, approvals: readonly string[] = []) {
  const { envelopeBytes } = await signedManifest();
  return exportBundle({
    directory,
    manifestEnvelopeBytes: envelopeBytes,
    approvals: approvals.map((name) => ({ name, bytes: Buffer.from("{}") })),
    files,
  });
}

test("the index lists every other file in path order and is canonical", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    const { files, bundleId } = await writeTestBundle(directory);
    const bytes = readFileSync(join(directory, "bundle.json"));
    assert.ok(bytes.equals(canonicalBytes({ schema_version: 1, bundle_id: bundleId, files })));
    assert.equal(
      files.map((file) => file.path),
      [
        "approvals/ana.dsse.json",
        "approvals/bob.dsse.json",
        "calibration.json",
        "catalog.yaml",
        "evidence/evaluation.json",
        "golden.json",
        "manifest.dsse.json",
        "models/retriever/router_model.json",
        "models/retriever/weights.bin",
        "models/verifier/onnx/model.onnx",
        "models/verifier/router_model.json",
        "policy.json",
      ],
    );
    assert.is(statSync(join(directory, "policy.json")).mode & 0o777, 0o644);
  }));

test("two exports of the same parts are byte-identical", () =>
  inTemporaryFolder(async (folder) => {
    const first = await writeTestBundle(join(folder, "a"));
    const second = await writeTestBundle(join(folder, "b"));
    assert.equal(first.files, second.files);
    assert.ok(readFileSync(join(folder, "a", "bundle.json")).equals(readFileSync(join(folder, "b", "bundle.json"))));
  }));

test("missing, changed and unknown files are refused and nothing is left", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    const without = testFiles();
    without.delete("policy.json");
    await rejects(exportTo(directory, without), "FILE_MISSING");
    await rejects(exportTo(directory, testFiles().set("policy.json", Buffer.from("{}"))), "HASH_MISMATCH");
    await rejects(exportTo(directory, testFiles().set("notes.txt", Buffer.from("x"))), "FILE_EXTRA");
    await rejects(exportTo(directory, testFiles().set("evidence/../../x", Buffer.from("x"))), "FILE_REFUSED");
    await rejects(exportTo(directory, testFiles(), ["ana", "ana"]), "FILE_EXISTS");
    await rejects(exportTo(directory, testFiles(), ["../ana"]), "FILE_REFUSED");
    assert.equal(readdirSync(folder), []);
  }));

test("an existing folder is unchanged unless replacement is requested", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    await writeTestBundle(directory);
    writeFileSync(join(directory, "left-over"), "x");
    await rejects(exportTo(directory, testFiles()), "FILE_EXISTS");
    assert.ok(existsSync(join(directory, "left-over")));
    await writeTestBundle(directory);
    assert.not.ok(existsSync(join(directory, "left-over")));
    assert.equal(readdirSync(folder), ["bundle"]);
  }));

test("of writers that replace a folder at once all end, and one whole folder is left", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "models");
    const files = (writer: number) => new Map(["a", "b/c"].map((path) => [path, Buffer.from(`${writer} ${path}`)]));
    const writers = Array.from({ length: 12 }, (_, writer) => writer);
    await Promise.all(writers.map((writer) => writeFolder({ directory, files: files(writer), replace: true })));
    const [writer] = readFileSync(join(directory, "a"), "utf8").split(" ");
    assert.is(readFileSync(join(directory, "b/c"), "utf8"), `${writer} b/c`);
    assert.equal(readdirSync(folder), ["models"]);
  }));

test("a file where the folder belongs is not replaced", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    writeFileSync(directory, "precious");
    await rejects(writeTestBundle(directory), "FILE_EXISTS");
    assert.is(readFileSync(directory, "utf8"), "precious");
  }));

test("a parent that is not there is a write failure that leaves nothing", () =>
  inTemporaryFolder(async (folder) => {
    await rejects(exportTo(join(folder, "no", "bundle"), testFiles()), "WRITE_FAILED");
    assert.equal(readdirSync(folder), []);
  }));

test("a disk that takes no more leaves the old bundle and nothing else", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    const before = await writeTestBundle(directory);
    const builders = pathToFileURL(join(packageRoot, "dist/test/support/builders-artifacts.js")).href;
    const program = `
      const { testFiles, writeTestBundle } = await import(${JSON.stringify(builders)});
      const files = testFiles().set("models/verifier/zz.bin", Buffer.alloc(1_000_000));
      await writeTestBundle(${JSON.stringify(directory)}, files).catch((error) => console.log(error.code));`;
    const script = 'trap "" XFSZ; ulimit -f 500; exec "$0" --input-type=module --eval "$1"';
    const { stdout } = await promisify(execFile)("bash", ["-c", script, process.execPath, program]);
    assert.is(stdout.trim(), "WRITE_FAILED");
    assert.equal(readdirSync(folder), ["bundle"]);
    const { files } = await readDirectory(directory);
    const expected = canonicalBytes({ schema_version: 1, bundle_id: before.bundleId, files: before.files });
    assert.ok(files.get("bundle.json")?.equals(expected));
  }));
