import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unbounded } from "../../../../src/domain/run-scope.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { loadEncoderIndex, loadRetriever, parseRetrieverModel } from "../../../../src/retrieval/load-retriever.js";
import type { ModelFiles } from "../../../../src/retrieval/model-files.js";
import { someWorkflows } from "../../../support/builders.js";
import { wordCountEncoder } from "../../../support/encoder-files.js";
import { fusedFiles } from "../../../support/fused-files.js";
import { retrieverFiles } from "../../../support/models.js";
import { throws } from "../../../support/rejects.js";

const test = suite("src/retrieval/fused/fused-retriever");

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());

const words = ["refund", "invoice", "parcel", "account"];
const parts = { encoder: wordCountEncoder(words), wordKernels: retrieverFiles() };
const texts = ["refund the last invoice", "where is my parcel", "🙂"];

async function rankings(files: ModelFiles) {
  const retriever = await loadRetriever(files, someWorkflows(), pool);
  return Promise.all(texts.map((text) => retriever.rank(text, unbounded)));
}

test("a score is the weighted mean of both scores, and the kernels stay those of the word kernels", async () => {
  const [dense, lexical] = [await rankings(parts.encoder), await rankings(parts.wordKernels)];
  for (const encoderWeight of [0, 0.25, 1]) {
    const fused = await rankings(fusedFiles(parts, { encoder_weight: encoderWeight }));
    for (const [i, { scores, workflowIds, kernels }] of fused.entries()) {
      const byHand = workflowIds.map(
        (_, at) => encoderWeight * (dense[i]?.scores[at] ?? 0) + (1 - encoderWeight) * (lexical[i]?.scores[at] ?? 0),
      );
      assert.equal([...scores], byHand);
      assert.equal(workflowIds, lexical[i]?.workflowIds);
      assert.equal(kernels?.ranked.scores, lexical[i]?.scores);
    }
  }
});

test("the encoder's index can be made before, as a start does", async () => {
  const files = fusedFiles(parts);
  const encoderIndex = await loadEncoderIndex(files, someWorkflows(), pool);
  const retriever = await loadRetriever(files, someWorkflows(), pool, { encoderIndex: encoderIndex ?? undefined });
  const { scores } = await retriever.rank("refund the last invoice", unbounded);
  assert.equal([...scores], [...((await rankings(files))[0]?.scores ?? [])]);
});

const without = (files: ModelFiles, path: string): ModelFiles => new Map([...files].filter(([name]) => name !== path));

test("a fused directory needs both parts, each of its kind", () => {
  const missing = throws(
    () => parseRetrieverModel(without(fusedFiles(parts), "word-kernels/router_model.json")),
    "MODEL_INVALID",
  );
  assert.match(missing.message, /word-kernels\/ directory: no router_model.json/);
  const swapped = { encoder: parts.wordKernels, wordKernels: parts.encoder };
  const { message } = throws(() => parseRetrieverModel(fusedFiles(swapped)), "MODEL_INVALID");
  assert.match(message, /encoder\/router_model.json: \/kind must be one of encoder/);
});

test("a fused retriever is for production only if both parts are", () => {
  const { message } = throws(
    () => parseRetrieverModel(fusedFiles(parts, { capability: "production" })),
    "MODEL_INVALID",
  );
  assert.match(message, /a part of it is for development/);
  const encoder = wordCountEncoder(words, { capability: "production" });
  const model = parseRetrieverModel(fusedFiles({ ...parts, encoder }, { capability: "production" }));
  assert.is(model.capability, "production");
});

test.run();
