import { suite } from "uvu";
import type { WorkflowId } from "../../../../src/domain/primitives.js";
import * as assert from "uvu/assert";
import { unbounded } from "../../../../src/domain/run-scope.js";
import type { Catalog } from "../../../../src/domain/catalog.js";
import type { LabelledRequest } from "../../../../src/domain/dataset.js";
import { verifierLabels } from "../../../../src/domain/model.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../../src/inputs/input-patterns.js";
import { matchLogit } from "../../../../src/policy/apply-calibration.js";
import { defaultLexicalSettings } from "../../../../src/retrieval/lexical/lexical-model.js";
import { bestPositions } from "../../../../src/retrieval/best-positions.js";
import { loadRetriever } from "../../../../src/retrieval/load-retriever.js";
import { modelFileName } from "../../../../src/retrieval/model-files.js";
import { seededRandom } from "../../../../src/stats/seeded-random.js";
import { collectPairs, type LabelledPairs } from "../../../../workbench/fit/verification/collect-pairs.js";
import { fitLexicalModels, type LexicalFitOptions } from "../../../../workbench/fit/verification/fit-lexical-models.js";
import { defaultNetworkFit, fitPairNetwork } from "../../../../workbench/fit/verification/fit-pair-network.js";
import { loadVerifier, parseVerifierModel } from "../../../../src/verification/load-verifier.js";
import { evidenceFeatures, PairEvidence } from "../../../../src/verification/pair-evidence.js";
import { aCatalog, anInput, aWorkflow, someWorkflows } from "../../../support/builders.js";
import { rejects, throws } from "../../../support/rejects.js";
import { lexicalRetriever } from "../../../support/retrieval.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../../support/service-desk.js";

const test = suite("workbench/fit/verification/fit-lexical-models");

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());

const width = evidenceFeatures.length;
const fittedOn = { datasetSha256: "d".repeat(64), splitSha256: "e".repeat(64), catalogSha256: "f".repeat(64) };

/** The first 28 workflows of the shipped catalog; requests of every seventh are held out. */
async function smallTask() {
  const whole = await serviceDeskCatalog();
  const catalog: Catalog = { ...whole, workflows: whole.workflows.slice(0, 28) };
  const ids = catalog.workflows.map((workflow) => workflow.workflowId);
  const heldOut = new Set(ids.filter((_, i) => i % 7 === 0));
  const requests = serviceDeskRequests().filter((row) => row.workflowId !== null && ids.includes(row.workflowId));
  const isHeldOut = (row: LabelledRequest): boolean => row.workflowId !== null && heldOut.has(row.workflowId);
  return {
    catalog,
    fitRequests: requests.filter((row) => !isHeldOut(row)).filter((_, i) => i % 2 === 0),
    heldOutRequests: requests.filter(isHeldOut),
  };
}

const optionsOf = (catalog: Catalog, fitRequests: readonly LabelledRequest[]): LexicalFitOptions => ({
  catalog,
  fitRequests,
  fittedOn,
  topK: 8,
  seed: 7,
  pool,
});

test("a fitted verifier beats chance by far on workflows that it was not fitted on", async () => {
  const { catalog, fitRequests, heldOutRequests } = await smallTask();
  const stages = new Set<string>();
  const onProgress = (stage: string): unknown => stages.add(stage);
  const models = await fitLexicalModels({ ...optionsOf(catalog, fitRequests), onProgress });
  assert.equal([...stages].sort(), ["epochs", "pairs"]);
  assert.is(models.pairs, fitRequests.length * 8);
  assert.ok(models.loss > 0 && models.loss < 0.4, `loss ${models.loss}`);

  const retriever = await loadRetriever(models.retriever, catalog.workflows, pool);
  const verifier = await loadVerifier(models.verifier, catalog.workflows, compileInputPatterns(catalog), pool);
  let right = 0;
  let separated = 0;
  for (const { text, workflowId } of heldOutRequests) {
    const ranking = await retriever.rank(text, unbounded);
    const positions = bestPositions(ranking, 8);
    const evidence = (await verifier.verify(text, ranking, positions, unbounded)).logits.map(matchLogit);
    const gold = positions.findIndex((position) => ranking.workflowIds[position] === workflowId);
    if (gold === -1) continue;
    if (evidence[gold] === Math.max(...evidence)) right += 1;
    separated += evidence.filter((value) => value < (evidence[gold] ?? 0)).length / (evidence.length - 1);
  }
  assert.ok(heldOutRequests.length > 80, `${heldOutRequests.length} requests`);
  assert.ok(right / heldOutRequests.length > 0.6, `${right} of ${heldOutRequests.length} right, chance is 1 of 8`);
  assert.ok(separated / heldOutRequests.length > 0.85, `${separated} of ${heldOutRequests.length} separated`);
});

test("the same seed gives the same bytes, another seed another graph", async () => {
  const { catalog, fitRequests } = await smallTask();
  const options = optionsOf(catalog, fitRequests.slice(0, 60));
  const [first, again, other] = [
    await fitLexicalModels(options),
    await fitLexicalModels(options),
    await fitLexicalModels({ ...options, seed: 8 }),
  ];
  for (const name of [modelFileName, "model.onnx"]) {
    assert.ok(first.verifier.get(name)?.equals(again.verifier.get(name) ?? Buffer.alloc(0)), name);
  }
  assert.ok(first.retriever.get(modelFileName)?.equals(again.retriever.get(modelFileName) ?? Buffer.alloc(0)));
  assert.not.ok(first.verifier.get("model.onnx")?.equals(other.verifier.get("model.onnx") ?? Buffer.alloc(0)));
  const model = parseVerifierModel(first.verifier);
  assert.equal("fittedOn" in model ? model.fittedOn : null, { ...fittedOn, requests: 60, pairs: 480, seed: 7 });
});

const [status, refund] = someWorkflows();
const small = aCatalog({
  workflows: [aWorkflow({ ...status, requiredInputs: [anInput({ pattern: "[0-9]+" })] }), aWorkflow({ ...refund })],
});
const request = (overrides: Partial<LabelledRequest>): LabelledRequest => ({
  id: "r",
  text: "where is my order",
  workflowId: "orders.status" as WorkflowId,
  ...overrides,
});

async function pairsOf(requests: readonly LabelledRequest[], signal?: AbortSignal): Promise<LabelledPairs> {
  const patterns = compileInputPatterns(small);
  return collectPairs({
    requests,
    workflows: new Map(small.workflows.map((workflow) => [workflow.workflowId, workflow])),
    retriever: await lexicalRetriever(small.workflows, pool),
    evidence: new PairEvidence(small.workflows, defaultLexicalSettings, patterns),
    patterns,
    topK: 2,
    ...(signal === undefined ? {} : { signal }),
  });
}

const labelled: readonly (readonly [name: string, request: Partial<LabelledRequest>, labels: readonly string[]])[] = [
  ["an input is missing", {}, ["needs_input", "mismatch"]],
  ["the text holds the input", { text: "where is my order 12" }, ["executable", "mismatch"]],
  ["the context holds the input", { context: { order_number: 1 } }, ["executable", "mismatch"]],
  [
    "the label says that one is missing",
    { text: "where is my order 12", missingInputs: ["x"] },
    ["needs_input", "mismatch"],
  ],
  ["the label says that none is missing", { missingInputs: [] }, ["executable", "mismatch"]],
  ["the request is out of scope", { workflowId: null }, ["mismatch", "mismatch"]],
];

for (const [name, overrides, labels] of labelled) {
  test(`labels of the candidates when ${name}`, async () => {
    const pairs = await pairsOf([request(overrides)]);
    assert.equal(
      [...pairs.labels].map((label) => verifierLabels[label]),
      labels,
    );
    assert.is(pairs.evidence.length, 2 * width);
  });
}

test("an interrupted collection says so", async () => {
  const controller = new AbortController();
  controller.abort();
  await rejects(pairsOf([request({})], controller.signal), "INTERRUPTED");
});

test("pairs of one kind only cannot be fitted", () => {
  const pairs = (labels: readonly number[]): LabelledPairs => ({
    evidence: new Float32Array(labels.length * width),
    features: width,
    labels: Uint8Array.from(labels),
    requests: 1,
  });
  const fit = (labels: readonly number[]) => () => fitPairNetwork(pairs(labels), defaultNetworkFit, seededRandom(1));
  throws(fit([0, 0, 0]), "FIT_FAILED");
  throws(fit([1, 2, 1]), "FIT_FAILED");
  throws(fit([]), "FIT_FAILED");
  assert.ok(Number.isFinite(fit([0, 2, 0])().loss));
});

test("evidence that is not a number stops the fit", () => {
  const pairs = {
    evidence: new Float32Array(3 * width).fill(Number.NaN),
    features: width,
    labels: Uint8Array.of(0, 1, 2),
    requests: 1,
  };
  assert.match(
    throws(() => fitPairNetwork(pairs, defaultNetworkFit, seededRandom(1)), "FIT_FAILED").message,
    /after epoch 1/,
  );
});

test.run();
