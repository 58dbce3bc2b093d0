import { Bm25Retriever } from "../../../eval/baselines/bm25.js";
import { assert, test } from "../../support/test.js";
import { aWorkflow } from "../../support/builders.js";
import { rankedIds, scoresById } from "../../support/retrieval.js";

const workflow = (workflowId: string, description: string, examples: readonly string[] = []) =>
  aWorkflow({ workflow_id: workflowId, name: "", description, capabilities: [], examples });

test("the score is that of the formula, worked out by hand", async () => {
  // Two documents of 4 and 2 words, mean 3. "parcel" is in one of them, twice: idf = ln(1 + 1.5 / 1.5).
  const retriever = new Bm25Retriever([
    workflow("delivery", "parcel late", ["parcel gone"]),
    workflow("billing", "invoice wrong"),
  ]);
  const scores = scoresById(await retriever.rank("parcel"));
  const length = 1 - 0.75 + 0.75 * (4 / 3);
  const expected = (Math.log(2) * 2 * 2.2) / (2 + 1.2 * length);
  assert.ok(Math.abs((scores.get("delivery") ?? 0) - expected) < 1e-6);
  assert.is(scores.get("billing"), 0);
});

test("a rare word counts more than a common one, and a common word never counts against a workflow", async () => {
  const retriever = new Bm25Retriever([
    workflow("alpha", "card lost"),
    workflow("beta", "card stolen"),
    workflow("gamma", "card parcel"),
  ]);
  const scores = scoresById(await retriever.rank("card parcel"));
  assert.ok([...scores.values()].every((score) => score > 0));
  assert.is(rankedIds(await retriever.rank("card parcel"))[0], "gamma");
});

test("a short document outranks a long one with the same word", async () => {
  const retriever = new Bm25Retriever([
    workflow("long", "refund for orders that arrived broken or late or not at all"),
    workflow("short", "refund"),
  ]);
  assert.equal(rankedIds(await retriever.rank("Refund?")), ["short", "long"]);
});

test("a text without a known word scores 0 everywhere and ranks by id", async () => {
  const retriever = new Bm25Retriever([workflow("beta", "invoice"), workflow("alpha", "parcel")]);
  const ranking = await retriever.rank("🙂");
  assert.equal([...ranking.scores], [0, 0]);
  assert.equal(rankedIds(ranking), ["alpha", "beta"]);
});
