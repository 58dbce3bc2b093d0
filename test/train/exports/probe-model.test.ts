import { InferencePool } from "../../../src/inference/pool.js";
import { probeModel, type ProbedModel } from "../../../train/exports/probe-model.js";
import { probeDocuments, probeTexts } from "../../../train/exports/probe-texts.js";
import { assert, rejects, test } from "../../support/test.js";
import { encoderExport, scorerExport, width } from "../../support/transformer-exports.js";

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());
const { signal } = new AbortController();

const encoder: ProbedModel = {
  role: "retriever",
  graph: "onnx/model.onnx",
  external_data: [],
  tokenizer: "tokenizer.json",
  max_tokens: 32,
  output: "last_hidden_state",
  pooling: "mean",
  normalise: true,
};

const scorer: ProbedModel = {
  role: "verifier",
  graph: "model.onnx",
  external_data: [],
  tokenizer: "tokenizer.json",
  max_tokens: 48,
  output: "logits",
};

const labels = ["entailment", "neutral", "contradiction"];

test("every probe text, or pair of a text and a document, gives one row", async () => {
  const encoded = await probeModel(pool, encoderExport(), encoder, { signal });
  assert.equal([encoded.rows.length, encoded.columns], [probeTexts.length, width]);
  const scored = await probeModel(pool, scorerExport(labels), scorer, { signal });
  assert.equal([scored.rows.length, scored.columns], [probeTexts.length * probeDocuments.length, 3]);
});

test("a probe reports progress, and stops when nobody waits for it", async () => {
  const runs: string[] = [];
  const watch = { signal, onRun: (done: number, total: number) => void runs.push(`${done}/${total}`) };
  await probeModel(pool, encoderExport(), encoder, watch);
  assert.equal([runs.length, runs.at(-1)], [probeTexts.length, `${probeTexts.length}/${probeTexts.length}`]);
  const gone = AbortSignal.abort();
  await rejects(probeModel(pool, encoderExport(), encoder, { signal: gone }), "REQUEST_CANCELLED");
});
