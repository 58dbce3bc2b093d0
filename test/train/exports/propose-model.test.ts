import { inspectGraph } from "../../../src/inference/inspect-graph.js";
import { chooseGraph } from "../../../train/exports/choose-graph.js";
import { graphFiles, readExport } from "../../../train/exports/model-export.js";
import { type ModelWishes, proposeModel } from "../../../train/exports/propose-model.js";
import { assert, test, throws } from "../../support/test.js";
import { jsonFile } from "../../support/model-exports.js";
import { defaultHead, defaultSimilarity } from "../../../src/router/retrieval/load-retriever.js";
import { normaliserVersion } from "../../../src/router/retrieval/words.js";
import { encoderExport, encoderGraph, scorerExport, width } from "../../support/transformer-exports.js";

const silent: ModelWishes = {
  role: undefined,
  version: undefined,
  capability: undefined,
  output: undefined,
  pooling: undefined,
  normalise: undefined,
  queryPrefix: undefined,
  documentPrefix: undefined,
  labelOrder: undefined,
  activation: undefined,
  maxTokens: undefined,
};

async function propose(files: ReadonlyMap<string, Buffer>, wishes: Partial<ModelWishes> = {}) {
  const choice = chooseGraph(files, undefined);
  const facts = await inspectGraph(graphFiles(files, choice.graph.value));
  return proposeModel({ model: readExport(files), choice, facts, folder: "tiny", wishes: { ...silent, ...wishes } });
}

const without = (files: ReadonlyMap<string, Buffer>, ...paths: readonly string[]) =>
  new Map([...files].filter(([path]) => !paths.includes(path)));

test("a complete sentence-transformers export settles every setting that it contains", async () => {
  const { draft, missing, fields } = await propose(encoderExport());
  assert.equal(missing, []);
  assert.equal(draft, {
    schema_version: 1,
    role: "retriever",
    kind: "encoder",
    version: draft?.version,
    capability: "development",
    graph: "onnx/model.onnx",
    external_data: [],
    tokenizer: "tokenizer.json",
    max_tokens: 32,
    output: "last_hidden_state",
    prefix: { query: "query: ", document: "passage: " },
    pooling: "mean",
    normalise: true,
    dimensions: width,
    normaliser: normaliserVersion,
    similarity: defaultSimilarity,
    head: defaultHead,
  });
  assert.match(draft?.version ?? "", /^tiny-[0-9a-f]{8}$/);
  const assumed = fields.filter(({ source }) => source.startsWith("assumed: ")).map(({ field }) => field);
  assert.equal(assumed, ["version", "capability"]);
});

test("every value names its source", async () => {
  const { fields } = await propose(encoderExport(), { capability: "production", version: "e-1", maxTokens: 16 });
  assert.equal(Object.fromEntries(fields.map(({ field, source }) => [field, source])), {
    role: "modules.json and output last_hidden_state",
    version: "--name",
    capability: "--capability",
    graph: "the only graph",
    external_data: "named by the graph",
    tokenizer: "name of the file",
    max_tokens: "--max-tokens",
    output: "name of the graph's output",
    pooling: "1_Pooling/config.json",
    normalise: "modules.json (2_Normalize)",
    dimensions: "output last_hidden_state",
    "prefix.query": "config_sentence_transformers.json",
    "prefix.document": "config_sentence_transformers.json",
  });
});

test("all open values are named at once, and then there is no draft", async () => {
  const bare = without(encoderExport(), "modules.json", "1_Pooling/config.json", "sentence_bert_config.json");
  const { draft, missing } = await propose(new Map([...bare, ["config.json", jsonFile({})]]));
  assert.is(draft, null);
  assert.equal(
    missing.map(({ field, flag }) => [field, flag]),
    [
      ["max_tokens", "--max-tokens COUNT"],
      ["pooling", "--pooling mean|cls|max|last_token|none"],
    ],
  );
});

test("a verifier gets the label order from its configuration", async () => {
  const { draft } = await propose(scorerExport(["Executable", "needs input", "MISMATCH"]));
  assert.equal(draft?.role === "verifier" && draft.label_order, ["executable", "needs_input", "mismatch"]);
  assert.is(draft?.max_tokens, 48);
});

test("a graph of token vectors is not a verifier, even with the flag", async () => {
  const { draft, missing } = await propose(encoderExport(), { role: "verifier", labelOrder: ["relevance"] });
  assert.is(draft, null);
  assert.equal(missing.map(({ field }) => field).sort(), ["label_order", "output"]);
});

test("files whose content does not match their name are refused with the name of the field", () => {
  const broken = new Map([...encoderExport(), ["sentence_bert_config.json", jsonFile({ max_seq_length: "many" })]]);
  assert.match(throws(() => readExport(broken), "MODEL_INVALID").message, "sentence_bert_config.json: /max_seq_length");
  const cut = new Map([...encoderExport(), ["config.json", Buffer.from("{")]]);
  assert.match(throws(() => readExport(cut), "MODEL_INVALID").message, "config.json is not well-formed JSON");
  throws(() => readExport(new Map([["model.onnx", encoderGraph()]])), "MODEL_INVALID");
});
