import { unbounded } from "../../../../src/documents/run-scope.js";
import { compileInputPatterns } from "../../../../src/router/inputs/input-patterns.js";
import { loadModels } from "../../../../src/router/load-models.js";
import { featureNames, SimilarityFeatures } from "../../../../src/router/verification/similarity-features.js";
import { assert, rejects, test } from "../../../support/test.js";
import { aCatalog, anInput, aWorkflow, someWorkflows } from "../../../support/builders.js";
import { verifierFiles } from "../../../support/models.js";
import { wordCountEncoder } from "../../../support/encoder-files.js";
import { lexicalRetriever } from "../../../support/retrieval.js";

type Feature = (typeof featureNames)[number];

const invoice = anInput({ name: "invoice", pattern: "\\bINV-\\d+\\b" });
const workflows = someWorkflows().map((workflow) =>
  workflow.workflow_id === "invoices.refund" ? aWorkflow({ ...workflow, required_inputs: [invoice] }) : workflow,
);

async function featuresOf(text: string) {
  const retriever = await lexicalRetriever(workflows);
  const ranking = await retriever.rank(text, unbounded);
  const features = new SimilarityFeatures(
    workflows,
    retriever.index,
    compileInputPatterns(aCatalog({ workflows })),
    null,
  );
  const { values: rows } = features.of(text, ranking, [0, 1, 2]);
  const value = (position: number, feature: Feature): number =>
    rows[position * featureNames.length + featureNames.indexOf(feature)] ?? Number.NaN;
  return { ranking, rows, value };
}

const near = (found: number, expected: number): void =>
  assert.ok(Math.abs(found - expected) < 1e-5, `${found} is not ${expected}`);

test("scores, leads and ranks are those of the ranking", async () => {
  const { ranking, value } = await featuresOf("refund my last invoice INV-7");
  const [orders = 0, refund = 0, unlock = 0] = ranking.scores;
  near(value(1, "score"), refund);
  near(value(1, "score_lead"), refund - Math.max(orders, unlock));
  near(value(0, "score_lead"), orders - refund);
  assert.is(value(1, "rank"), 1);
  near(value(0, "share") + value(1, "share") + value(2, "share"), 1);
  near(value(0, "best_score"), refund);
});

test("a text of the catalog is wholly similar to its workflow under every similarity", async () => {
  const { value } = await featuresOf("my account is locked");
  for (const name of ["lexical", "mixed"] as const) near(value(2, `${name}_best`), 1);
  near(value(2, "best_similarity"), 1);
  assert.is(value(2, "unknown_words"), 0);
  assert.is(value(0, "words"), Math.fround(Math.log1p(4)));
});

test("the three best texts of a workflow are averaged, and the mean is over all of its texts", async () => {
  const { ranking, value } = await featuresOf("refund money");
  const { starts } = ranking.index.texts;
  const mixed = [...ranking.similarities.mixed].slice(starts[1], starts[2]).sort((a, b) => b - a);
  const [first = 0, second = 0, third = 0] = mixed;
  near(value(1, "mixed_best"), first);
  near(value(1, "mixed_three"), (first + second + third) / 3);
  near(value(1, "mixed_mean"), mixed.reduce((sum, value) => sum + value, 0) / mixed.length);
});

test("inputs and words of the contract are counted", async () => {
  const { value } = await featuresOf("refund INV-12 zebra");
  assert.equal([value(1, "inputs_required"), value(1, "inputs_found"), value(1, "inputs_missing")], [1, 1, 0]);
  assert.is(value(0, "inputs_required"), 0);
  assert.ok(value(1, "input_rarity_lead") > 0);
  assert.ok(value(1, "unknown_words") > 0);
});

test("every number is finite for empty, emoji-only and very long texts", async () => {
  for (const text of ["", "🙂", "refund ".repeat(1142)])
    assert.ok((await featuresOf(text)).rows.every(Number.isFinite));
});

test("a detector without an encoder says nothing, and declared effects are read from the contract", async () => {
  const { value } = await featuresOf("refund");
  assert.is(value(1, "text_commits"), 0);
  assert.is(Math.abs(value(1, "declared_commits")), 1);
});

test("models that do not belong together are refused when they are loaded", async () => {
  const sources = { retrieverFiles: wordCountEncoder(["refund"]), verifierFiles: verifierFiles() };
  const error = await rejects(loadModels(aCatalog(), sources, { workers: 1, queueLimit: 8 }), "MODEL_INVALID");
  assert.match(error.message, /fitted on the similarities of the retriever lexical-1, found encoder-1/);
  assert.match(error.hint ?? "", /sluice model fit --retriever/);
});
