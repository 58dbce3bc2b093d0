import { loadBaselines } from "../../../eval/baselines/load-baselines.js";
import { assert, pluck, test } from "../../support/test.js";
import { aWorkflow, someWorkflows } from "../../support/builders.js";
import { rankedIds } from "../../support/retrieval.js";
import { unbounded } from "../../../src/documents/run-scope.js";

test("both baselines rank the same catalog", async () => {
  const { baselines, leftOut } = await loadBaselines(someWorkflows());
  assert.equal(leftOut, []);
  assert.equal(pluck(baselines, "name"), ["BM25", "Lexical"]);
  for (const { name, retriever } of baselines) {
    const ranking = await retriever.rank("pay the invoice back to my card", unbounded);
    assert.is(rankedIds(ranking)[0], "invoices.refund", name);
  }
});

test("a catalog with more than 3,000 texts stays with BM25 and says why", async () => {
  const examples = Array.from({ length: 2998 }, (_, place) => `request number ${place}`);
  const { baselines, leftOut } = await loadBaselines([aWorkflow({ examples })]);
  assert.equal(pluck(baselines, "name"), ["BM25"]);
  assert.match(leftOut.join(), "left out: it supports at most 3000 texts, but the catalog has 3001");
});
