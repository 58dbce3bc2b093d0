/** The thread of the floor: runs ONNX Runtime over inputs that were prepared before, and says how long that took. */
import { parentPort } from "node:worker_threads";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { TokenBatch } from "../../src/inference/tokenizer/token-batch.js";
import type { FloorMessage } from "./floor.js";

type Feed = Readonly<Record<string, Tensor>>;

const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" } as const;
const sessions: { encoder?: InferenceSession; scorer?: InferenceSession } = {};
let texts: readonly Feed[] = [];
let pairs: readonly Feed[] = [];

function feedOf({ rows, tokens, inputIds, attentionMask, tokenTypeIds }: TokenBatch): Feed {
  const tensor = (values: BigInt64Array): Tensor => new Tensor("int64", values, [rows, tokens]);
  return {
    input_ids: tensor(inputIds),
    attention_mask: tensor(attentionMask),
    token_type_ids: tensor(tokenTypeIds),
  };
}

async function carryOut(message: FloorMessage): Promise<void> {
  switch (message.kind) {
    case "open":
      sessions.encoder = await InferenceSession.create(message.encoder, options);
      sessions.scorer = await InferenceSession.create(message.scorer, options);
      return;
    case "keep":
      texts = message.runs.texts.map(feedOf);
      pairs = message.runs.pairs.map(feedOf);
      return;
    case "run":
      for (const feed of texts) await sessions.encoder?.run(feed);
      for (const feed of pairs) await sessions.scorer?.run(feed);
      return;
    case "close":
      await sessions.encoder?.release();
      await sessions.scorer?.release();
      parentPort?.close();
  }
}

parentPort?.on("message", (message: FloorMessage) => {
  const started = performance.now();
  void carryOut(message).then(() => parentPort?.postMessage(performance.now() - started));
});
