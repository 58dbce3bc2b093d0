import { joinedRequests } from "../../datasets/joined-requests.js";
import { englishSeveralWishes } from "../../src/documents/several-wishes.js";
import { compileBoundary } from "../../src/router/policy/several-wishes.js";
import { assert, test } from "../support/test.js";
import { aRequest } from "../support/score-cases.js";

const rows = Array.from({ length: 30 }, (_, index) =>
  aRequest({ id: `r-${index}`, text: `please do thing ${index}.`, workflow_id: `flow.w${index % 3}` }),
);
const outside = aRequest({ id: "outside", text: "sing a song", workflow_id: null });
const choices = { words: englishSeveralWishes, removed: new Set(["flow.w2"]) };
const workflowOf = new Map(rows.map(({ text, workflow_id: id }) => [text, id]));

test("each request in scope is joined with one for another workflow, in a way that can be recognised", () => {
  const joined = joinedRequests([...rows, outside], choices);
  assert.is(joined.size, 20);
  const findBoundary = compileBoundary(englishSeveralWishes);
  for (const [id, text] of joined) {
    const own = rows.find((row) => row.id === id);
    const boundary = findBoundary(text);
    assert.is(`${boundary?.left}.`, own?.text);
    const other = workflowOf.get(boundary?.right ?? "");
    assert.ok(other === "flow.w0" || other === "flow.w1", text);
    assert.is.not(other, own?.workflow_id);
  }
});

test("the texts do not depend on the order of the rows, and there are two hundred at most", () => {
  assert.equal(joinedRequests(rows.toReversed(), choices), joinedRequests(rows, choices));
  const many = Array.from({ length: 500 }, (_, index) =>
    aRequest({ id: `m-${index}`, workflow_id: `flow.w${index % 2}` }),
  );
  assert.is(joinedRequests(many, choices).size, 200);
});

test("only requests that are scored over the same catalog are joined", () => {
  const parts = [0, 1].map((part) => ({
    rows: new Set(rows.filter((_, index) => index % 2 === part).map(({ id }) => id)),
  }));
  for (const [id, text] of joinedRequests(rows, { ...choices, parts })) {
    const numbers = [...text.matchAll(/thing (\d+)/gu)].map(([, number]) => Number(number));
    assert.is(numbers.length, 2, id);
    assert.is((numbers[0] ?? 0) % 2, (numbers[1] ?? 1) % 2);
  }
});

test("nothing is joined without words, or among requests for one workflow", () => {
  assert.is(joinedRequests(rows, { ...choices, words: null }).size, 0);
  assert.is(joinedRequests(rows, { ...choices, removed: new Set(["flow.w1", "flow.w2"]) }).size, 0);
});
