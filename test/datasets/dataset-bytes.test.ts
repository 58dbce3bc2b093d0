import { datasetBytes, datasetOf } from "../../datasets/dataset-bytes.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { assert, test } from "../support/test.js";
import { aRequest } from "../support/score-cases.js";

test("writes canonical JSON, one row per line", () => {
  const rows = [aRequest({ id: "b", text: "é", group_id: null }), aRequest({ id: "a", text: "x", workflow_id: null })];
  assert.is(
    datasetBytes(rows).toString(),
    '{"group_id":null,"id":"b","text":"é","workflow_id":"orders.find"}\n{"id":"a","text":"x","workflow_id":null}\n',
  );
});

test("reads back what it wrote", () => {
  const rows = [
    aRequest({
      id: "a",
      context: { order_id: [1, { deep_key: null }] },
      allowed_workflow_ids: ["orders.find"],
      expected_decision: "CLARIFY",
      missing_inputs: [],
      slices: { my_part: "x" },
      event_type: null,
    }),
  ];
  assert.equal(readJsonl(datasetBytes(rows), "bytes"), rows);
});

test("has an identity that does not depend on the key order of the file", () => {
  const one = readJsonl(Buffer.from('{"id":"a","text":"x","workflow_id":null}'), "one");
  const two = readJsonl(Buffer.from('{ "workflow_id":null, "text":"x", "id":"a" }\n'), "two");
  assert.is(datasetOf(one).sha256, datasetOf(two).sha256);
  assert.is.not(datasetOf(one).sha256, datasetOf([aRequest()]).sha256);
});
