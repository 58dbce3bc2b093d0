import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recordFiles } from "../../../../src/artifacts/bundle-layout.js";
import { contentOfFiles } from "../../../../src/artifacts/directory-hash.js";
import { checkRecords } from "../../../../src/artifacts/verify/check-records.js";
import { canonicalBytes } from "../../../../src/digest/canonical-json.js";
import { sha256Hex } from "../../../../src/digest/sha256.js";
import type { RunWire } from "../../../../src/domain/scored-record.js";

const test = suite("src/artifacts/verify/check-records");

const digest = sha256Hex("a document");
const run: RunWire = {
  schema_version: 1,
  catalog_sha256: digest,
  dataset_sha256: digest,
  split_sha256: digest,
  policy_sha256: digest,
  retriever_sha256: digest,
  verifier_sha256: digest,
  model_version: "m1",
  records_sha256: sha256Hex("a table"),
  requests: 1,
  example_errors: 0,
  top_k: 8,
};

function problems(files: Readonly<Record<string, string | object>>): readonly (readonly [string, string])[] {
  const bytes = Object.entries(files).map(([path, content]): [string, Buffer] => [
    path,
    typeof content === "string" ? Buffer.from(content) : canonicalBytes(content),
  ]);
  const content = contentOfFiles(new Map(bytes));
  return checkRecords(content.files, content.entries).map(({ code, file }) => [code, file]);
}

const { scored, guards, background } = recordFiles;
const calibration = "calibration.json";
const fitted = { fit: { background: { records_sha256: sha256Hex("a background") } } };
const evidence = "evidence/run.json";

test("a bundle without records, and one with the records that its run names, have no problem", () => {
  assert.equal(problems({ [evidence]: run }), []);
  assert.equal(problems({ [evidence]: run, [scored]: "a table", [guards]: "{}" }), []);
});

test("records that are not those of the run, without the run, or without the guards are named", () => {
  assert.equal(problems({ [evidence]: run, [scored]: "another table", [guards]: "{}" }), [["HASH_MISMATCH", scored]]);
  assert.equal(problems({ [scored]: "a table", [guards]: "{}" }), [["FILE_EXTRA", scored]]);
  assert.equal(problems({ [evidence]: run, [scored]: "a table" }), [["FILE_MISSING", guards]]);
  assert.equal(problems({ [evidence]: run, [guards]: "{}" }), [["FILE_MISSING", scored]]);
  const unreadable = { [evidence]: { ...run, records_sha256: "?" }, [scored]: "a table", [guards]: "{}" };
  assert.equal(problems(unreadable), [["SCHEMA_INVALID", evidence]]);
});

test("a background that its calibration does not name, another one, or a missing one is named", () => {
  const records = { [evidence]: run, [scored]: "a table", [guards]: "{}" };
  assert.equal(problems({ ...records, [calibration]: fitted, [background]: "a background" }), []);
  assert.equal(problems({ ...records, [calibration]: {}, [background]: "x" }), [["FILE_EXTRA", background]]);
  assert.equal(problems({ ...records, [calibration]: fitted, [background]: "x" }), [["HASH_MISMATCH", background]]);
  assert.equal(problems({ ...records, [calibration]: fitted }), [["FILE_MISSING", background]]);
  assert.equal(
    problems({ [background]: "x" }).map(([, file]) => file),
    [scored, guards, background],
  );
});

test.run();
