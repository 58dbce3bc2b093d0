import { recordFiles } from "../../../../src/trust/bundle-layout.js";
import { contentOfFiles } from "../../../../src/trust/directory-hash.js";
import { checkRecords } from "../../../../src/trust/verify/check-contents.js";
import { canonicalBytes } from "../../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../../src/base/sha256.js";
import type { Run } from "../../../../src/documents/scored-record.js";
import { assert, test } from "../../../support/test.js";

const digest = sha256Hex("a document");
const run: Run = {
  schema_version: 1,
  kind: "scored",
  catalog_sha256: digest,
  dataset_sha256: digest,
  split_sha256: digest,
  policy_sha256: digest,
  retriever_sha256: digest,
  verifier_sha256: digest,
  serializer_sha256: digest,
  model_version: "m1",
  records_sha256: sha256Hex("a table"),
  requests: 1,
  scoring_errors: 0,
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

const { scored, background } = recordFiles;
const calibration = "calibration.json";
const fitted = { fit: { background: { records_sha256: sha256Hex("a background") } } };
const evidence = "evidence/run.json";
const named = { [evidence]: run };

test("a bundle without records, and one with the records that its run names, have no problem", () => {
  assert.equal(problems({ [evidence]: run }), []);
  assert.equal(problems({ ...named, [scored]: "a table" }), []);
});

test("records that are not those of the run, or without the run, are named", () => {
  assert.equal(problems({ ...named, [scored]: "another table" }), [["HASH_MISMATCH", scored]]);
  assert.equal(problems({ [scored]: "a table" }), [["FILE_EXTRA", scored]]);
  const unreadable = { [evidence]: { ...run, records_sha256: "?" }, [scored]: "a table" };
  assert.equal(problems(unreadable), [["DOCUMENT_INVALID", evidence]]);
});

test("follow-ups that their calibration names must be there, and others must not", () => {
  const records = { ...named, [scored]: "a table" };
  const names = { fit: { follow_ups: { records_sha256: sha256Hex("scores") } } };
  assert.equal(problems({ ...records, [calibration]: names, [recordFiles.follow_ups]: "scores" }), []);
  assert.equal(problems({ ...records, [calibration]: names }), [["FILE_MISSING", recordFiles.follow_ups]]);
  assert.equal(problems({ ...records, [calibration]: {}, [recordFiles.follow_ups]: "x" }), [
    ["FILE_EXTRA", recordFiles.follow_ups],
  ]);
});

test("a background that its calibration does not name, another one, or a missing one is named", () => {
  const records = { ...named, [scored]: "a table" };
  assert.equal(problems({ ...records, [calibration]: fitted, [background]: "a background" }), []);
  assert.equal(problems({ ...records, [calibration]: {}, [background]: "x" }), [["FILE_EXTRA", background]]);
  assert.equal(problems({ ...records, [calibration]: fitted, [background]: "x" }), [["HASH_MISMATCH", background]]);
  assert.equal(problems({ ...records, [calibration]: fitted }), [["FILE_MISSING", background]]);
  assert.equal(
    problems({ [background]: "x" }).map(([, file]) => file),
    [scored, background],
  );
});
