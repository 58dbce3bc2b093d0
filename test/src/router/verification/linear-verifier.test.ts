import { unbounded } from "../../../../src/documents/run-scope.js";
import { type VerifierLabel, verifierLabels } from "../../../../src/documents/choices.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../../src/router/inputs/input-patterns.js";
import { type ModelFiles, modelFileName } from "../../../../src/router/retrieval/model-files.js";
import { loadVerifier } from "../../../../src/router/verification/load-verifier.js";
import { parseVerifierModel } from "../../../../src/router/verification/parse-verifier.js";
import { featureNames } from "../../../../src/router/verification/similarity-features.js";
import { assert, rejects, test, throws } from "../../../support/test.js";
import { aCatalog, anInput, aWorkflow, someWorkflows } from "../../../support/builders.js";
import { linearModel } from "../../../support/graphs.js";
import { type VerifierWeights, verifierFiles, verifierFilesWithGraph, verifierGraph } from "../../../support/models.js";
import { lexicalRetriever } from "../../../support/retrieval.js";

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());

const retriever = await lexicalRetriever(someWorkflows());
const load = async (files: ModelFiles) =>
  loadVerifier(
    { model: parseVerifierModel(files), files },
    retriever,
    someWorkflows(),
    compileInputPatterns(aCatalog()),
    pool,
  );
const rank = (text: string) => retriever.rank(text, unbounded);

const judging: VerifierWeights = {
  weights: { executable: { score: 5 }, mismatch: { unknown_stems: 3 } },
  bias: { needs_input: -1 },
};

test("each position gets its logits, in the requested order", async () => {
  const verifier = await load(verifierFiles(judging));
  const ranking = await rank("where is my parcel");
  const { logits: forwards, truncatedRows } = await verifier.verify(
    "where is my parcel",
    ranking,
    [0, 1, 2],
    unbounded,
  );
  const { logits: backwards } = await verifier.verify("where is my parcel", ranking, [2, 1, 0], unbounded);
  assert.is(truncatedRows, 0);
  assert.equal([...backwards].reverse(), forwards);
  for (const [position, logits] of forwards.entries()) {
    assert.is(logits.needs_input, -1);
    assert.ok(Math.abs(logits.executable - 5 * (ranking.scores[position] ?? Number.NaN)) < 1e-5);
  }
  assert.is(new Set(forwards.map((logits) => logits.mismatch)).size, 1);
});

const orders: readonly (readonly VerifierLabel[])[] = [
  ["executable", "needs_input", "mismatch"],
  ["needs_input", "mismatch", "executable"],
  ["mismatch", "executable", "needs_input"],
];

for (const labelOrder of orders) {
  test(`label order ${labelOrder.join(", ")} gives the same logits as the usual one`, async () => {
    const ranking = await rank("refund my invoice");
    const usual = await (await load(verifierFiles(judging))).verify("refund my invoice", ranking, [0, 1, 2], unbounded);
    const verifier = await load(verifierFiles({ ...judging, labelOrder }));
    assert.equal(verifier.labelOrder, labelOrder);
    assert.equal(await verifier.verify("refund my invoice", ranking, [0, 1, 2], unbounded), usual);
  });
}

test("columns are read by the described order, not by a fixed one", async () => {
  const ranking = await rank("refund my invoice");
  const graph = verifierFiles(judging).get("model.onnx") ?? Buffer.alloc(0);
  const described = verifierFiles(judging, { label_order: ["executable", "needs_input", "mismatch"] });
  const verifier = await load(new Map([...described, ["model.onnx", graph]]));
  const usual = (await (await load(verifierFiles(judging))).verify("refund my invoice", ranking, [1], unbounded))
    .logits[0];
  const swapped = (await verifier.verify("refund my invoice", ranking, [1], unbounded)).logits[0];
  assert.equal(swapped, { ...usual, mismatch: usual?.executable, executable: usual?.mismatch });
});

const wire = JSON.parse(verifierFiles().get(modelFileName)?.toString() ?? "") as Readonly<Record<string, unknown>>;
const described = (overrides: object): ModelFiles =>
  new Map([...verifierFiles(), [modelFileName, Buffer.from(JSON.stringify({ ...wire, ...overrides }))]]);

test("a label order that repeats a label, or lacks one, is refused", () => {
  const twice = described({ label_order: ["mismatch", "mismatch", "executable"] });
  assert.match(throws(() => parseVerifierModel(twice), "MODEL_INVALID").message, /label_order/);
  throws(() => parseVerifierModel(described({ label_order: ["mismatch", "executable"] })), "MODEL_INVALID");
  throws(() => parseVerifierModel(new Map()), "MODEL_INVALID");
});

test("a catalog without examples is scored by the graph for such catalogs", async () => {
  const without = verifierGraph({ ...judging, bias: { needs_input: -7 } });
  const described = verifierFiles(judging, { graph_without_examples: "without.onnx" });
  const files = new Map([...described, ["without.onnx", without]]);
  const needsInput = async (examples: number): Promise<number | undefined> => {
    const workflows = someWorkflows().map((one, place) => ({ ...one, examples: place < examples ? ["hello"] : [] }));
    const own = await lexicalRetriever(workflows);
    const patterns = compileInputPatterns(aCatalog({ workflows }));
    const verifier = await loadVerifier({ model: parseVerifierModel(files), files }, own, workflows, patterns, pool);
    const { logits } = await verifier.verify("refund", await own.rank("refund", unbounded), [0], unbounded);
    return logits[0]?.needs_input;
  };
  assert.equal([await needsInput(0), await needsInput(1), await needsInput(2)], [-7, -7, -1]);
  assert.match(throws(() => parseVerifierModel(described), "MODEL_INVALID").message, /without\.onnx/);
});

test("a verifier that was made for other features is refused with the way out", async () => {
  const error = await rejects(load(described({ features: ["score"] })), "MODEL_INVALID");
  assert.match(error.hint ?? "", /sluice model fit/);
  assert.equal(error.details?.["expected"], featureNames);
  await rejects(load(described({ features: [...featureNames].reverse() })), "MODEL_INVALID");
});

test("a missing or damaged graph is refused while loading", async () => {
  assert.match((await rejects(load(described({ graph: "other.onnx" })), "MODEL_INVALID")).message, /other\.onnx/);
  await rejects(load(verifierFilesWithGraph(Buffer.from("damaged"))), "MODEL_INVALID");
});

test("a graph with another number of outputs, or of inputs, fails as a run", async () => {
  const ranking = await rank("refund");
  const width = featureNames.length;
  const twoOutputs = linearModel({ columns: width, weights: [...new Float32Array(width * 2)], bias: [0, 0] });
  const fewInputs = linearModel({ columns: 2, weights: [...new Float32Array(6)], bias: [0, 0, 0] });
  for (const graph of [twoOutputs, fewInputs]) {
    const verifier = await load(verifierFilesWithGraph(graph));
    await rejects(verifier.verify("refund", ranking, [0], unbounded), "MODEL_RUN_FAILED");
  }
});

test("features that would need more time than is left are not computed by halves", async () => {
  const workflows = [aWorkflow({ required_inputs: [anInput({ pattern: "(?:a?){450}$" })] })];
  const patterns = compileInputPatterns(aCatalog({ workflows }));
  const own = await lexicalRetriever(workflows);
  const judged = verifierFiles(judging);
  const verifier = await loadVerifier(
    { model: parseVerifierModel(judged), files: judged },
    own,
    workflows,
    patterns,
    pool,
  );
  const ranking = await own.rank("refund", unbounded);
  let looks = 0;
  const scope = { ...unbounded, clocks: { now: () => (looks += 1), workedMs: () => looks } };
  await rejects(verifier.verify("a".repeat(8000), ranking, [0], scope), "PATTERNS_TIMED_OUT");
  assert.is(looks, 251);
});

test("a text whose turn comes late does not time out: its deadline has passed", async () => {
  const verifier = await load(verifierFiles(judging));
  const ranking = await rank("refund my invoice");
  const late = { ...unbounded, remainingMs: () => 0, clocks: { now: () => 0 } };
  await rejects(verifier.verify("refund my invoice", ranking, [0], late), "DEADLINE_EXCEEDED");
});

test("the three labels are the ones of the model contract", () => {
  assert.equal([...verifierLabels], ["mismatch", "needs_input", "executable"]);
});
