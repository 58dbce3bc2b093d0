import { InferenceSession, Tensor } from "onnxruntime-node";
import { TextTokenizer } from "../../src/inference/tokenizer/text-tokenizer.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import type { Bench, Figure, Reference } from "../harness/figure.js";
import { defaultModels, fastModels } from "../serving/default-models.js";
import { nlpClassifier, nlpInstalled } from "../serving/nlp-classifier.js";
import { transformersEmbedder, transformersInstalled } from "../serving/transformers-js.js";
import { processorMicros, type ScoringThread, scoringThread } from "./scoring-thread.js";

const topK = 8;
const maxTokens = 64;
/** Warm-up rounds of the fast models and of nlp.js, after which their code is compiled. */
const warmUpTurns = 12;

const texts = (): readonly string[] =>
  serviceDeskRequests()
    .filter((_, index) => index % 13 === 0)
    .map(({ text }) => text);

/** Cost of scoring one request in its thread. */
export const scoring: Bench = {
  name: "scoring",
  about:
    "What one request of the service desk (112 workflows) costs in its scoring thread, without messages and HTTP, with the default and with the fast models. The floor of the default models is the time of ONNX Runtime for the encoder's graph on the same token ids; transformers.js embeds the same texts with the same graph and scores nothing. Before the first round the fast models and nlp.js answer several thousand requests, like a warm server.",
  open: async () => {
    const catalog = await serviceDeskCatalog();
    const thread = await scoringThread(catalog);
    const fast = await scoringThread(catalog, await fastModels());
    const requests = texts();
    const floor = await rawEncoder(requests);
    const peers = nlpInstalled() ? [await nlpPeer(requests)] : [];
    const embedders = transformersInstalled() ? [await transformersPeer(requests)] : [];
    for (let turn = 0; turn < warmUpTurns; turn += 1) {
      await fast.score({ texts: requests, together: turn % 2 === 0 ? 64 : 1, topK });
      for (const peer of peers) await peer.round();
    }
    const figure = (id: string, title: string, scorer: ScoringThread, together: number): Figure => ({
      id: `scoring/${id}`,
      title,
      unit: "µs of processor time",
      better: "lower",
      round: () => scorer.score({ texts: requests, together, topK }),
      references:
        scorer === fast ? peers : [{ role: "floor", name: "onnxruntime-node alone", round: floor.round }, ...embedders],
    });
    return {
      figures: [
        figure("side-by-side", "one of 64 requests side by side", thread, 64),
        figure("alone", "one request at a time", thread, 1),
        figure("fast/side-by-side", "fast models: one of 64 requests side by side", fast, 64),
        figure("fast/alone", "fast models: one request at a time", fast, 1),
      ],
      absent: [
        ...(nlpInstalled() ? [] : ["nlp.js; `npm install --no-save node-nlp@4.27.0` (96 packages, 119 MB) adds it."]),
        ...(transformersInstalled()
          ? []
          : [
              "transformers.js; `ONNXRUNTIME_NODE_INSTALL=skip npm install --no-save @huggingface/transformers@4.3.1` (186 MB) adds it.",
            ]),
      ],
      close: async () => {
        await thread.close();
        await fast.close();
        await floor.close();
      },
    };
  },
};

/** nlp.js on the same requests, one after another, trained like the nlp.js server. */
async function nlpPeer(requests: readonly string[]): Promise<Reference> {
  const classify = await nlpClassifier();
  return {
    role: "peer",
    name: "nlp.js 4",
    round: async () => {
      const before = processorMicros();
      for (const text of requests) await classify(text);
      return (processorMicros() - before) / requests.length;
    },
  };
}

/** transformers.js, embedding the same requests one after another. */
async function transformersPeer(requests: readonly string[]): Promise<Reference> {
  const { retrieverFiles } = await defaultModels();
  const embed = await transformersEmbedder(retrieverFiles, maxTokens);
  return {
    role: "peer",
    name: "transformers.js 4",
    round: async () => {
      const before = processorMicros();
      for (const text of requests) await embed(text);
      return (processorMicros() - before) / requests.length;
    },
  };
}

/** Only the encoder's runs in ONNX Runtime on these texts, with token ids prepared beforehand. */
async function rawEncoder(
  requests: readonly string[],
): Promise<{ readonly round: () => Promise<number>; readonly close: () => Promise<void> }> {
  const { retrieverFiles } = await defaultModels();
  const file = (name: string): Buffer => retrieverFiles.get(name) ?? Buffer.alloc(0);
  const tokenizer = new TextTokenizer(file("tokenizer.json"));
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" } as const;
  const session = await InferenceSession.create(file("model.onnx"), options);
  const feeds = requests.map((text) => {
    const { ids } = tokenizer.encodeText(text, maxTokens);
    return { input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]) };
  });
  return {
    round: async () => {
      const before = processorMicros();
      for (const feed of feeds) await session.run(feed);
      return (processorMicros() - before) / feeds.length;
    },
    close: () => session.release(),
  };
}
