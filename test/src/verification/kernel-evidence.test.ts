import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unbounded } from "../../../src/domain/run-scope.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../src/inputs/input-patterns.js";
import { modelFileName } from "../../../src/retrieval/model-files.js";
import { normaliserVersion } from "../../../src/retrieval/words/normaliser.js";
import { WordKernelsRetriever } from "../../../src/retrieval/kernels/word-kernels-retriever.js";
import { loadModels } from "../../../src/routing/load-models.js";
import { KernelEvidence, kernelEvidenceFeatures } from "../../../src/verification/kernel-evidence.js";
import { loadVerifier } from "../../../src/verification/load-verifier.js";
import { aCatalog, anInput, aWorkflow, someWorkflows } from "../../support/builders.js";
import { linearModel } from "../../support/graphs.js";
import { wordCountEncoder } from "../../support/encoder-files.js";
import { rejects, throws } from "../../support/rejects.js";
import { rankScores } from "../../support/retrieval.js";
import { deskVectors, wordKernelsModel } from "../../support/word-vectors.js";

const test = suite("src/verification/kernel-evidence");

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());

type Feature = (typeof kernelEvidenceFeatures)[number];

const invoice = anInput({ name: "invoice", pattern: "\\bINV-\\d+\\b" });
const workflows = someWorkflows().map((workflow) =>
  workflow.workflowId === "invoices.refund" ? aWorkflow({ ...workflow, requiredInputs: [invoice] }) : workflow,
);

async function evidenceOf(text: string) {
  const retriever = await WordKernelsRetriever.create(
    { model: wordKernelsModel(), vectors: deskVectors },
    workflows,
    pool,
  );
  const ranking = await retriever.rank(text, unbounded);
  const rows = new KernelEvidence(workflows, compileInputPatterns(aCatalog({ workflows }))).of(
    text,
    ranking,
    [0, 1, 2],
  );
  const value = (position: number, feature: Feature): number =>
    rows[position * kernelEvidenceFeatures.length + kernelEvidenceFeatures.indexOf(feature)] ?? Number.NaN;
  return { ranking, rows, value };
}

const near = (found: number, expected: number): void =>
  assert.ok(Math.abs(found - expected) < 1e-5, `${found} is not ${expected}`);

test("scores, leads and ranks are those of the ranking", async () => {
  const { ranking, value } = await evidenceOf("refund my last invoice INV-7");
  const [orders = 0, refund = 0, unlock = 0] = ranking.scores;
  near(value(1, "score"), refund);
  near(value(1, "score_lead"), refund - Math.max(orders, unlock));
  near(value(0, "score_lead"), orders - refund);
  assert.is(value(1, "rank"), 1);
  near(value(0, "share") + value(1, "share") + value(2, "share"), 1);
  near(value(0, "best_score"), refund);
});

test("a text of the catalog is wholly similar to its workflow under every kernel", async () => {
  const { value } = await evidenceOf("my account is locked");
  for (const kernel of ["lexical", "soft", "dense", "mixed"] as const) near(value(2, `${kernel}_best`), 1);
  assert.is(value(2, "agreement"), 1);
  near(value(2, "best_similarity"), 1);
  assert.is(value(2, "unknown_words"), 0);
  assert.is(value(0, "words"), Math.fround(Math.log1p(4)));
});

test("the three best texts of a workflow are averaged, and the mean is over all of its texts", async () => {
  const { ranking, value } = await evidenceOf("refund money");
  const mixed = [...(ranking.kernels?.similarities.mixed ?? [])].slice(4, 8);
  const [first = 0, second = 0, third = 0, fourth = 0] = mixed.sort((a, b) => b - a);
  near(value(1, "mixed_best"), first);
  near(value(1, "mixed_three"), (first + second + third) / 3);
  near(value(1, "mixed_mean"), (first + second + third + fourth) / 4);
});

test("inputs and words of the contract are counted", async () => {
  const { value } = await evidenceOf("refund INV-12 zebra");
  assert.equal([value(1, "inputs_required"), value(1, "inputs_found"), value(1, "inputs_missing")], [1, 1, 0]);
  assert.is(value(0, "inputs_required"), 0);
  assert.ok(value(1, "input_rarity_lead") > 0);
  assert.ok(value(1, "unknown_words") > 0);
});

test("every number is finite for empty, emoji-only and very long texts", async () => {
  for (const text of ["", "🙂", "refund ".repeat(1142)])
    assert.ok((await evidenceOf(text)).rows.every(Number.isFinite));
});

const description = {
  schema_version: 1,
  role: "verifier",
  kind: "kernel_evidence",
  normaliser: normaliserVersion,
  version: "kernel-evidence-test",
  capability: "development",
  label_order: ["mismatch", "needs_input", "executable"],
  graph: "model.onnx",
  features: [...kernelEvidenceFeatures],
  fitted_on: { tasks: [], pairs: 0, seed: 1 },
};
const scoreOnly = linearModel({
  columns: kernelEvidenceFeatures.length,
  weights: kernelEvidenceFeatures.flatMap((feature) => [0, 0, feature === "score" ? 2 : 0]),
  bias: [0, -9, 0],
});
const filesOf = (overrides: object = {}) =>
  new Map([
    [modelFileName, Buffer.from(JSON.stringify({ ...description, ...overrides }))],
    ["model.onnx", scoreOnly],
  ]);

test("a verifier directory is loaded and reads the ranking of word kernels", async () => {
  const { ranking } = await evidenceOf("refund");
  const verifier = await loadVerifier(filesOf(), workflows, compileInputPatterns(aCatalog({ workflows })), pool);
  const { logits } = await verifier.verify("refund", ranking, [1, 0], unbounded);
  near(logits[0]?.executable ?? Number.NaN, 2 * (ranking.scores[1] ?? 0));
  near(logits[1]?.executable ?? Number.NaN, 2 * (ranking.scores[0] ?? 0));
});

test("other columns, and a ranking of another retriever, are refused", async () => {
  const patterns = compileInputPatterns(aCatalog({ workflows }));
  const other = filesOf({ features: ["score"] });
  const error = await rejects(loadVerifier(other, workflows, patterns, pool), "MODEL_INVALID");
  assert.match(error.hint ?? "", /sluice model fit$/);
  const ranking = rankScores(
    workflows.map(({ workflowId }) => workflowId),
    new Float64Array(workflows.length),
  );
  throws(() => new KernelEvidence(workflows, patterns).of("refund", ranking, [0]), "MODEL_INVALID");
});

test("models that do not belong together are refused when they are loaded", async () => {
  const sources = { retrieverFiles: wordCountEncoder(["refund"]), verifierFiles: filesOf() };
  const error = await rejects(loadModels(aCatalog(), sources, { workers: 1, queueLimit: 8 }), "MODEL_INVALID");
  assert.match(error.message, /requires a retriever of kind word_kernels or fused, found encoder/);
});

test.run();
