import { join } from "node:path";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import type { CrossEncoderModel, EncoderRetrieverModel } from "../../../src/documents/model.js";
import { defaultHead, defaultSimilarity, lexicalRetrieverModel } from "../../../src/router/retrieval/load-retriever.js";
import { normaliserVersion } from "../../../src/router/retrieval/words.js";
import { unbounded } from "../../../src/documents/run-scope.js";
import { TextTokenizer } from "../../../src/inference/tokenizer/text-tokenizer.js";
import { textsJob, probeSpec } from "../../../train/exports/probe-model.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { checkModel } from "../../../train/exports/check-model.js";
import { assert, packageRoot, rejects, test } from "../../support/test.js";
import { retrieverFiles, verifierFiles } from "../../support/models.js";
import { jsonFile } from "../../support/model-exports.js";
import { encoderExport, encoderGraph, scorerExport, width } from "../../support/transformer-exports.js";

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());
const runtime = { pool, signal: new AbortController().signal };

const common = {
  schema_version: 1,
  version: "tiny-1",
  capability: "development",
  tokenizer: "tokenizer.json",
} as const;

const encoder: EncoderRetrieverModel = {
  ...common,
  role: "retriever",
  kind: "encoder",
  graph: "onnx/model.onnx",
  external_data: [],
  max_tokens: 32,
  output: "last_hidden_state",
  dimensions: width,
  pooling: "mean",
  normalise: true,
  prefix: { query: "query: ", document: "passage: " },
  normaliser: normaliserVersion,
  similarity: defaultSimilarity,
  head: defaultHead,
};

const nli = ["entailment", "neutral", "contradiction"] as const;

const scorer: CrossEncoderModel = {
  ...common,
  role: "verifier",
  kind: "cross_encoder",
  graph: "model.onnx",
  external_data: [],
  max_tokens: 48,
  output: "logits",
  label_order: [...nli],
  activation: "none",
  prefix: { query: "", document: "" },
};

type Files = ReadonlyMap<string, Buffer>;

const described = (files: Files, document: EncoderRetrieverModel | CrossEncoderModel): Files =>
  new Map([...files, ["router_model.json", jsonFile(document)]]);

/** Checks that are not `ok`, as `name status`. */
async function findings(files: Files): Promise<readonly string[]> {
  const { checks } = await checkModel(files, runtime);
  return checks.filter(({ status }) => status !== "ok").map(({ name, status }) => `${name} ${status}`);
}

async function find(files: Files, name: string): Promise<string> {
  const { checks } = await checkModel(files, runtime);
  const check = checks.find((one) => one.name === name);
  return `${check?.status}: ${check?.found}; ${check?.expected}`;
}

test("descriptions that agree with their export have nothing to remark", async () => {
  assert.equal(await findings(described(encoderExport(), encoder)), []);
  assert.equal(await findings(described(scorerExport(nli), scorer)), []);
});

test("the fitted models of this package can be checked too", async () => {
  assert.equal(await findings(retrieverFiles()), []);
  assert.equal(await findings(verifierFiles()), []);
  const shipped = async (role: string) => (await readDirectory(join(packageRoot, "models", "default", role))).files;
  assert.equal(await findings(await shipped("retriever")), ["token limit note"]);
  assert.equal(await findings(await shipped("verifier")), []);
});

test("a label order other than the model's fails and names the right one", async () => {
  const swapped: CrossEncoderModel = { ...scorer, label_order: ["contradiction", "neutral", "entailment"] };
  assert.is(
    await find(described(scorerExport(nli), swapped), "label order"),
    "failed: contradiction,neutral,entailment; entailment,neutral,contradiction of config.json (id2label)",
  );
});

test("columns that do not belong together fail", async () => {
  const mixed: CrossEncoderModel = { ...scorer, label_order: ["mismatch", "neutral", "relevance"] };
  assert.match(
    await find(described(scorerExport(["LABEL_0", "LABEL_1", "LABEL_2"]), mixed), "label order"),
    /^failed: mismatch,neutral,relevance; one of these in any order: mismatch, needs_input, executable; entailment/,
  );
});

test("a label order that the model does not name is a note", async () => {
  const unnamed = described(scorerExport(["LABEL_0", "LABEL_1", "LABEL_2"]), scorer);
  assert.equal(await findings(unnamed), ["label order note"]);
});

test("a missing space at the end of a prefix is shown", async () => {
  const trimmed = { ...encoder, prefix: { query: "query:", document: "passage: " } };
  assert.is(
    await find(described(encoderExport(), trimmed), "query prefix"),
    'note: "query:"; "query: " of config_sentence_transformers.json',
  );
});

test("pooling, scaling, limit and width that contradict the export or the graph fail", async () => {
  const wrong: EncoderRetrieverModel = { ...encoder, pooling: "cls", normalise: false, max_tokens: 64, dimensions: 8 };
  assert.equal(await findings(described(encoderExport(), wrong)), [
    "width failed",
    "pooling failed",
    "normalise failed",
    "token limit failed",
  ]);
});

test("files and outputs that are not there fail", async () => {
  const lost = { ...encoder, graph: "onnx/other.onnx" };
  assert.equal(await findings(described(encoderExport(), lost)), ["files failed"]);
  const renamed = { ...encoder, output: "sentence_embedding" };
  assert.equal(await findings(described(encoderExport(), renamed)), ["output failed"]);
  const broken = new Map([...encoderExport(), ["onnx/model.onnx", Buffer.from("no graph")]]);
  assert.equal(await findings(described(broken, encoder)), ["weight files failed"]);
  const refused = new Map([...encoderExport(), ["onnx/model.onnx", Buffer.alloc(0)]]);
  assert.equal(await findings(described(refused, encoder)), ["graph failed"]);
});

test("unused files are named", async () => {
  const files = new Map([...encoderExport(), ["onnx/model_int8.onnx", encoderGraph(1.01)]]);
  assert.equal(await findings(described(files, encoder)), ["other files note"]);
  assert.match(await find(described(files, encoder), "other files"), /^note: onnx\/model_int8.onnx \(/);
});

test("a table retriever needs the two files of its vectors, and a lexical one none", async () => {
  const statuses = async (model: object): Promise<readonly string[]> =>
    (await checkModel(new Map([["router_model.json", jsonFile(model)]]), runtime)).checks.map(
      ({ status, found }) => `${status}: ${found}`,
    );
  const lexical = lexicalRetrieverModel;
  assert.equal(await statuses(lexical), ["ok: lexical: requires no other file"]);
  const table = { ...lexical, kind: "table", graph: "vectors.onnx", vocabulary: "vocabulary.txt", dimensions: 3 };
  assert.equal(await statuses(table), ["failed: no vectors.onnx, vocabulary.txt"]);
});

test("a directory without a description, or with a broken one, cannot be checked", async () => {
  await rejects(checkModel(encoderExport(), runtime), "MODEL_INVALID");
  const noRole = new Map([...encoderExport(), ["router_model.json", jsonFile({ ...encoder, role: "encoder" })]]);
  assert.match((await rejects(checkModel(noRole, runtime), "MODEL_INVALID")).message, "/role must be one of");
  const unknown = new Map([...encoderExport(), ["router_model.json", jsonFile({ ...encoder, extra: 1 })]]);
  await rejects(checkModel(unknown, runtime), "MODEL_INVALID");
});

/** What the model itself makes of texts, as another library would write it; `change` alters the first row. */
async function expectationsOf(files: Files, change: object = {}): Promise<Buffer> {
  const tokenizer = new TextTokenizer(files.get("tokenizer.json") ?? Buffer.alloc(0));
  const loaded = await pool.load(probeSpec(files, encoder));
  const rows: object[] = [];
  for (const text of ["order", "refund the order", "stop"]) {
    const { matrix } = await loaded.run(textsJob([text]), unbounded);
    rows.push({ text, input_ids: tokenizer.encodeText(text, 32).ids, output: [...matrix.values] });
  }
  return Buffer.from(rows.map((row, index) => JSON.stringify(index === 0 ? { ...row, ...change } : row)).join("\n"));
}

async function againstExpected(bytes: Buffer, files = described(encoderExport(), encoder)): Promise<readonly string[]> {
  const { checks } = await checkModel(files, runtime, { file: "expected.jsonl", bytes, tolerance: 1e-3 });
  return checks
    .filter(({ name }) => name.startsWith("expected"))
    .map(({ name, status, found, expected }) => `${name} ${status}: ${found}; ${expected}`);
}

test("tokens and outputs that the export's own library gives are compared line by line", async () => {
  const files = described(encoderExport(), encoder);
  const [tokens, output] = await againstExpected(await expectationsOf(files));
  assert.is(tokens, "expected tokens ok: equal for 3 texts; null");
  assert.match(output ?? "", /^expected output ok: differs by at most \S+ in 3 texts; null$/);
  assert.equal(await againstExpected(await expectationsOf(files, { input_ids: [2, 5, 3] })), [
    "expected tokens failed: others for 1 of 3 (line 1); equal ids",
    "expected output ok: differs by at most 0 in 2 texts; null",
  ]);
  const other = await againstExpected(await expectationsOf(files, { output: Array.from({ length: width }, () => 9) }));
  assert.match(
    other[1] ?? "",
    /^expected output failed: differs by at most .* in 3 texts, most in line 1; at most 1\.0e-3$/,
  );
  assert.match((await againstExpected(await expectationsOf(files, { output: [1] })))[1] ?? "", "1 in line 1");
});

test("pairs are compared as pairs, and the form that the model does not read is refused", async () => {
  const files = described(scorerExport(nli), scorer);
  const tokenizer = new TextTokenizer(files.get("tokenizer.json") ?? Buffer.alloc(0));
  const [text, document] = ["refund the order", "order"];
  const { ids } = tokenizer.encodePair(tokenizer.segment(text), tokenizer.segment(document), 48);
  const row = Buffer.from(JSON.stringify({ text, document, input_ids: ids }));
  assert.equal(await againstExpected(row, files), ["expected tokens ok: equal for 1 text; null"]);
  const error = await rejects(againstExpected(row), "DOCUMENT_INVALID");
  assert.match(error.message, "expected.jsonl: line 1: found a document, expected a text alone");
});

test("a line of expectations that cannot be read is named without its text", async () => {
  for (const [line, code] of [
    ["{", "DOCUMENT_INVALID"],
    ['{"text": "my secret"}', "DOCUMENT_INVALID"],
    ['{"text": "my secret", "output": "my secret"}', "DOCUMENT_INVALID"],
  ] as const) {
    const { message } = await rejects(againstExpected(Buffer.from(`\n${line}\n`)), code);
    assert.match(message, "expected.jsonl: line 2");
    assert.not.match(message, "secret");
  }
  await rejects(againstExpected(Buffer.from("\n")), "DOCUMENT_INVALID");
  const lexical = new Map([["router_model.json", jsonFile(lexicalRetrieverModel)]]);
  await rejects(againstExpected(Buffer.from("{}"), lexical), "USAGE");
});
