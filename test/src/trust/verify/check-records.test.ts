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

const { scored, guards, background } = recordFiles;
const calibration = "calibration.json";
const fitted = { fit: { background: { records_sha256: sha256Hex("a background") } } };
const evidence = "evidence/run.json";
const evaluated = "evidence/evaluation.json";
const stopped = ["r-7", "r-3"];
const outcomes = { guards: [{ guard_id: "open-ended", stopped }] };
const evaluation = {
  detail: {
    guards: [{ guard_id: "open-ended", stopped_sha256: sha256Hex(canonicalBytes([...stopped].sort())) }],
  },
};
/** Evidence that names the records and the outcomes of the guards. */
const named = { [evidence]: run, [evaluated]: evaluation };

test("a bundle without records, and one with the records that its run names, have no problem", () => {
  assert.equal(problems({ [evidence]: run }), []);
  assert.equal(problems({ ...named, [scored]: "a table", [guards]: outcomes }), []);
});

test("records that are not those of the run, without the run, or without the guards are named", () => {
  assert.equal(problems({ ...named, [scored]: "another table", [guards]: outcomes }), [["HASH_MISMATCH", scored]]);
  assert.equal(problems({ [evaluated]: evaluation, [scored]: "a table", [guards]: outcomes }), [
    ["FILE_EXTRA", scored],
  ]);
  assert.equal(problems({ ...named, [scored]: "a table" }), [["FILE_MISSING", guards]]);
  assert.equal(problems({ ...named, [guards]: outcomes }), [["FILE_MISSING", scored]]);
  const unreadable = { ...named, [evidence]: { ...run, records_sha256: "?" }, [scored]: "a table", [guards]: outcomes };
  assert.equal(problems(unreadable), [["DOCUMENT_INVALID", evidence]]);
});

test("a background that its calibration does not name, another one, or a missing one is named", () => {
  const records = { ...named, [scored]: "a table", [guards]: outcomes };
  assert.equal(problems({ ...records, [calibration]: fitted, [background]: "a background" }), []);
  assert.equal(problems({ ...records, [calibration]: {}, [background]: "x" }), [["FILE_EXTRA", background]]);
  assert.equal(problems({ ...records, [calibration]: fitted, [background]: "x" }), [["HASH_MISMATCH", background]]);
  assert.equal(problems({ ...records, [calibration]: fitted }), [["FILE_MISSING", background]]);
  assert.equal(
    problems({ [background]: "x" }).map(([, file]) => file),
    [scored, guards, background],
  );
});

test("outcomes of the guards that the signed evaluation does not cover are named", () => {
  const records = { ...named, [scored]: "a table" };
  const changed = { guards: [{ guard_id: "open-ended", stopped: ["r-7", "r-4"] }] };
  assert.equal(problems({ ...records, [guards]: changed }), [["HASH_MISMATCH", guards]]);
  assert.equal(problems({ ...records, [guards]: { guards: [] } }), [["HASH_MISMATCH", guards]]);
  assert.equal(problems({ ...records, [guards]: "{}" }), [["DOCUMENT_INVALID", guards]]);
  assert.equal(problems({ ...records, [evaluated]: {}, [guards]: outcomes }), [["HASH_MISMATCH", guards]]);
  assert.equal(problems({ [evidence]: run, [scored]: "a table", [guards]: outcomes }), [["FILE_EXTRA", guards]]);
});
