import type { CrossEncoderModel } from "../../../../src/documents/model.js";
import type { Workflow } from "../../../../src/documents/catalog.js";
import { unbounded } from "../../../../src/documents/run-scope.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../../src/router/inputs/input-patterns.js";
import { matchLogit } from "../../../../src/router/policy/apply-calibration.js";
import { type ModelFiles, modelFileName } from "../../../../src/router/retrieval/model-files.js";
import { loadVerifier } from "../../../../src/router/verification/load-verifier.js";
import { parseVerifierModel } from "../../../../src/router/verification/parse-verifier.js";
import { assert, pluck, rejects, test, testWithShared, throws } from "../../../support/test.js";
import { aCatalog, aWorkflow, someWorkflows } from "../../../support/builders.js";
import { interactionVerifierFiles, weighedWords } from "../../../support/cross-encoder-files.js";
import { lexicalRetriever } from "../../../support/retrieval.js";

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());

const retriever = await lexicalRetriever(someWorkflows());
const load = async (files: ModelFiles, workflows: readonly Workflow[] = someWorkflows()) =>
  loadVerifier(
    { model: parseVerifierModel(files), files },
    retriever,
    workflows,
    compileInputPatterns(aCatalog()),
    pool,
  );
const ranking = await retriever.rank("refund", unbounded);

/** Match logits of positions for one text. */
async function verified(files: ModelFiles, text: string, positions: readonly number[] = [0, 1, 2]) {
  return (await load(files)).verify(text, ranking, positions, unbounded);
}

/** Weights that show which words a pair had: each word counts a power of 100 in the column `executable`. */
const weights = { parcel: [0, 0, 1], invoice: [0, 0, 100], lockout: [0, 0, 10_000], please: [0, 0, 1_000_000] };

test("each candidate is checked against its contract, in the requested order", async () => {
  const { logits, truncatedRows } = await verified(weighedWords(weights), "please", [2, 0, 1]);
  assert.equal(pluck(logits, "executable"), [1_010_000, 1_000_001, 1_000_300]);
  assert.is(truncatedRows, 0);
});

test("columns are read by the described label order", async () => {
  const files = weighedWords({ please: [1, 2, 3] }, { label_order: ["executable", "mismatch", "needs_input"] });
  const verifier = await load(files);
  assert.equal(verifier.labelOrder, ["executable", "mismatch", "needs_input"]);
  const { logits } = await verifier.verify("please", ranking, [1], unbounded);
  assert.equal(logits, [{ mismatch: 2, needs_input: 3, executable: 1 }]);
});

test("a natural language inference model gives match and mismatch", async () => {
  const files = weighedWords({ please: [-1, 2] }, { label_order: ["not_entailment", "entailment"] });
  const { logits } = await verified(files, "please", [0]);
  assert.ok(Math.abs(matchLogit(logits[0] ?? { mismatch: 0, needs_input: 0, executable: 0 }) - 3) < 1e-12);
});

const prefixes: readonly (readonly [name: string, prefix: CrossEncoderModel["prefix"], logit: number])[] = [
  ["no prefix leaves the text alone", { query: "", document: "" }, 1],
  ["a query prefix without a space grows together with the text", { query: "ab", document: "" }, 100],
  ["a query prefix with a trailing space stays apart", { query: "ab ", document: "" }, 11],
  ["a document prefix stands before the contract", { query: "", document: "ab " }, 11],
  ["a document prefix without a space grows together with its label", { query: "", document: "ab" }, 1001],
];

for (const [name, prefix, logit] of prefixes) {
  test(name, async () => {
    const columns = { x: [1], ab: [10], abx: [100], abname: [1000] };
    const files = weighedWords(columns, { label_order: ["relevance"], prefix });
    const verifier = await load(files, [aWorkflow({ name: "Other", description: "Other", capabilities: [] })]);
    const { logits } = await verifier.verify("x", ranking, [0], unbounded);
    assert.is(Math.round(matchLogit(logits[0] ?? { mismatch: 0, needs_input: 0, executable: 0 })), logit);
  });
}

test("a contract that is longer than the model reads is counted", async () => {
  const { truncatedRows } = await verified(weighedWords(weights, { max_tokens: 12 }), "please");
  assert.is(truncatedRows, 3);
});

test("an output with other columns than the label order is a failed run", async () => {
  const files = weighedWords({ please: [1, 2] }, { label_order: ["mismatch", "needs_input", "executable"] });
  const error = await rejects(verified(files, "please"), "MODEL_RUN_FAILED");
  assert.match(error.message, /2 columns, but its label_order names 3/);
});

const without = (path: string, overrides: Partial<CrossEncoderModel> = {}): ModelFiles =>
  new Map([...weighedWords(weights, overrides)].filter(([name]) => name !== path));

test("every file that the description names must be there", () => {
  const missing: readonly (readonly [string, ModelFiles])[] = [
    ["onnx/model.onnx", without("onnx/model.onnx")],
    ["tokenizer.json", without("tokenizer.json")],
    ["onnx/model.onnx_data", weighedWords(weights, { external_data: ["onnx/model.onnx_data"] })],
    [modelFileName, without(modelFileName)],
  ];
  for (const [path, files] of missing) {
    const error = throws(() => parseVerifierModel(files), "MODEL_INVALID");
    assert.ok(error.message.includes(`no ${path}`), error.message);
  }
});

test("a damaged graph or tokenizer is refused while loading", async () => {
  for (const path of ["onnx/model.onnx", "tokenizer.json"]) {
    await rejects(load(new Map([...weighedWords(weights), [path, Buffer.from("damaged")]])), "MODEL_INVALID");
  }
});

const withConfig = (config: string, overrides: Partial<CrossEncoderModel> = {}): ModelFiles =>
  new Map([...weighedWords(weights, overrides), ["config.json", Buffer.from(config)]]);
const nli: Partial<CrossEncoderModel> = { label_order: ["entailment", "neutral", "contradiction"] };

test("a label order that the export contradicts is refused", () => {
  const swapped = '{"id2label":{"0":"CONTRADICTION","1":"Neutral","2":"entailment"}}';
  const error = throws(() => parseVerifierModel(withConfig(swapped, nli)), "MODEL_INVALID");
  assert.match(error.message, /config\.json says \[contradiction, neutral, entailment\]/);
  const three = '{"id2label":{"0":"entailment","1":"not-entailment"}}';
  throws(() => parseVerifierModel(withConfig(three, nli)), "MODEL_INVALID");
  throws(() => parseVerifierModel(withConfig("{", nli)), "MODEL_INVALID");
});

test("an export that agrees, or names no labels, is accepted", () => {
  const configs = [
    '{"id2label":{"0":"entailment","1":"neutral","2":"contradiction"}}',
    '{"id2label":{"0":"LABEL_0","1":"LABEL_1","2":"LABEL_2"}}',
    '{"id2label":{}}',
    '{"id2label":null}',
    '{"model_type":"bert"}',
    "[]",
  ];
  for (const config of configs) {
    assert.equal(parseVerifierModel(withConfig(config, nli)).label_order, ["entailment", "neutral", "contradiction"]);
  }
});

testWithShared(test, "a trained checkpoint prefers the contract that fits the request", async () => {
  const requests = [
    ["where is my parcel", 0],
    ["please refund my last invoice, I was charged twice", 1],
    ["my account is locked after too many failed sign-ins", 2],
  ] as const;
  const verifier = await load(interactionVerifierFiles());
  for (const [text, right] of requests) {
    const { logits } = await verifier.verify(text, ranking, [0, 1, 2], unbounded);
    const matches = logits.map(matchLogit);
    assert.is(matches.indexOf(Math.max(...matches)), right, `${text}: ${matches.join(", ")}`);
  }
});
