import { InferenceSession, Tensor } from "onnxruntime-node";
import { floatMatrix, onnxModel } from "../../src/inference/onnx-graph.js";
import { kernelEvidenceFeatures } from "../../src/verification/kernel-evidence.js";
import { kernelTexts } from "../../src/retrieval/kernels/kernel-texts.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import type { Bench, Figure } from "../harness/figure.js";
import { defaultModels } from "../serving/default-models.js";
import { processorMicros, scoringThread } from "./scoring-thread.js";

const topK = 8;
const dimensions = 256;
/** Enough of them for a clock of processor time that ticks every 10 ms. */
const floorRuns = 4000;

const texts = (): readonly string[] =>
  serviceDeskRequests()
    .filter((_, index) => index % 13 === 0)
    .map(({ text }) => text);

/** Scoring of one request in its thread. */
export const scoring: Bench = {
  name: "scoring",
  about:
    "What one request of the service desk (112 workflows, default models) costs in its scoring thread, without messages and HTTP. The floor is what ONNX Runtime takes for the same two matrix products and the verifier's graph.",
  open: async () => {
    const catalog = await serviceDeskCatalog();
    const thread = await scoringThread(catalog);
    const floor = await rawRuns(kernelTexts(catalog.workflows).texts.length);
    const requests = texts();
    const figure = (id: string, title: string, together: number): Figure => ({
      id: `scoring/${id}`,
      title,
      unit: "µs of processor time",
      better: "lower",
      round: () => thread.score({ texts: requests, together, topK }),
      references: [{ role: "floor", name: "onnxruntime-node alone", round: floor.round }],
    });
    return {
      figures: [
        figure("side-by-side", "one of 64 requests side by side", 64),
        figure("alone", "one request at a time", 1),
      ],
      close: async () => {
        await thread.close();
        await floor.close();
      },
    };
  },
};

/** The runs of one request in ONNX Runtime and nothing else, one row for the texts and `topK` for the verifier. */
async function rawRuns(
  columns: number,
): Promise<{ readonly round: () => Promise<number>; readonly close: () => Promise<void> }> {
  const product = onnxModel({
    name: "cosines",
    inputs: [floatMatrix("vectors", dimensions)],
    outputs: [floatMatrix("cosines", columns)],
    constants: [{ name: "texts", dimensions: [dimensions, columns], values: new Float32Array(dimensions * columns) }],
    nodes: [{ operator: "MatMul", inputs: ["vectors", "texts"], outputs: ["cosines"] }],
  });
  const { verifierFiles } = await defaultModels();
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" } as const;
  const sessions = [
    { session: await InferenceSession.create(product, options), rows: 1, columns: dimensions },
    {
      session: await InferenceSession.create(verifierFiles.get("model.onnx") ?? Buffer.alloc(0), options),
      rows: topK,
      columns: kernelEvidenceFeatures.length,
    },
  ];
  const feeds = sessions.map(({ session, rows, columns: width }) => ({
    session,
    feed: { [session.inputNames[0] ?? ""]: new Tensor("float32", new Float32Array(rows * width), [rows, width]) },
  }));
  return {
    round: async () => {
      const before = processorMicros();
      for (let run = 0; run < floorRuns; run += 1) for (const { session, feed } of feeds) await session.run(feed);
      return (processorMicros() - before) / floorRuns;
    },
    close: async () => {
      for (const { session } of sessions) await session.release();
    },
  };
}
