import { BadRows } from "../../datasets/bad-rows.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { assert, pluck, test, throws } from "../support/test.js";

const read = (text: string) => readJsonl(Buffer.from(text), "rows.jsonl");

test("reads rows in file order and ignores blank lines", () => {
  const rows = read(
    '{"id":"a","text":"find it","workflow_id":"orders.find","missing_inputs":["order_id"]}\n\n{"id":"b","text":"hi","workflow_id":null}\n',
  );
  assert.equal(rows, [
    { id: "a", text: "find it", workflow_id: "orders.find", missing_inputs: ["order_id"] },
    { id: "b", text: "hi", workflow_id: null },
  ]);
});

test("preserves the keys of context and slices", () => {
  const [row] = read('{"id":"a","text":"x","workflow_id":null,"context":{"order_id":1},"slices":{"my_part":"train"}}');
  assert.equal(row?.context, { order_id: 1 });
  assert.equal(row?.slices, { my_part: "train" });
});

test("names every bad row by line and field, without its text", () => {
  const error = throws(
    () =>
      read(
        '{"id":"a","text":"secret words","workflow_id":null}\n{"id":"b","text":"secret words"}\n{"id":"c","text":"x","workflow_id":null,"colour":1}',
      ),
    "DOCUMENT_INVALID",
  );
  assert.match(error.message, /rows\.jsonl: line 2: .*workflow_id/);
  assert.match(error.message, /line 3: .*colour/);
  assert.not.match(error.message, /secret/);
});

test("requests and follow-ups have files of their own", () => {
  const alone = '{"id":"a","text":"x","workflow_id":null}';
  const following = '{"id":"b","text":"y","workflow_id":"w.one","previous":{"workflow_id":null},"group_id":"c1"}';
  const follow = (text: string) => readJsonl(Buffer.from(text), "rows.jsonl", new BadRows(), "follow-ups");
  assert.equal(follow(following)[0]?.previous, { workflow_id: null });
  assert.match(throws(() => follow(alone), "DOCUMENT_INVALID").message, /line 1 column previous: found none/);
  assert.match(throws(() => read(following), "DOCUMENT_INVALID").message, /expected it in a file of follow-ups/);
});

const row = '{"id":"a","text":"x","workflow_id":null}';
const refused: readonly (readonly [what: string, bytes: string | Buffer, says: RegExp])[] = [
  ["a line that is not JSON, without its text", `${row}\nsecret words`, /line 2/],
  ["a second row with the same id", `${row}\n${row}`, /^rows\.jsonl: line 2 column id: the same id as line 1$/],
  ["a text of white space only", '{"id":"a","text":"  ","workflow_id":null}', /line 1/],
  ["twelve rows, of which it names ten and counts the others", "no\n".repeat(12), /; and 2 more$/],
  ["a file without rows", "\n \n", /rows\.jsonl/],
  ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe]), /rows\.jsonl/],
];
for (const [what, bytes, says] of refused) {
  test(`refuses ${what}`, () => {
    const { message } = throws(() => readJsonl(Buffer.from(bytes), "rows.jsonl"), "DOCUMENT_INVALID");
    assert.match(message, says);
    assert.not.match(message, /secret/);
  });
}

test("reports the kinds of bad rows, and leaves out those that are allowed", () => {
  const lines = '{"id":"a","text":7,"workflow_id":null}\n{"id":"b","text":"x","workflow_id":null}';
  const error = throws(() => read(lines), "DOCUMENT_INVALID");
  assert.match(error.message, "rows.jsonl: line 1 column text: found a number, must be string");
  const bad = new BadRows(1);
  assert.equal(
    readJsonl(Buffer.from(lines), "rows.jsonl", bad).map((row) => row.id),
    ["b"],
  );
  assert.equal(pluck(bad.settle(), "at"), ["line 1"]);
});

test("a decision outside of the closed set names the line and the values that are allowed", () => {
  const rows =
    '{"id":"1","text":"a","workflow_id":null}\n{"id":"2","text":"b","workflow_id":null,"expected_decision":"ROUT"}';
  const error = throws(() => readJsonl(Buffer.from(rows), "rows.jsonl"), "DOCUMENT_INVALID");
  assert.match(error.message, /line 2.*expected_decision.*expected one of ROUTE, CLARIFY, LLM_REQUIRED/);
});
