/** Loads one graph, replies with its inputs and outputs, releases it and exits. */
import type { InferenceSession } from "onnxruntime-node";
import { parentPort, workerData } from "node:worker_threads";
import { toPlainError } from "../base/transport.js";
import type { GraphPortFacts, InspectReply } from "./inspect-graph.js";
import { openSession } from "./models/open-session.js";
import type { GraphFiles } from "./protocol.js";

const port = parentPort;
if (port === null) throw new Error("inspect.worker runs in a worker thread only");

const portFacts = (metadata: InferenceSession.ValueMetadata): GraphPortFacts =>
  metadata.isTensor
    ? { name: metadata.name, element_type: metadata.type, shape: [...metadata.shape] }
    : { name: metadata.name, element_type: null, shape: [] };

async function inspect(graph: GraphFiles): Promise<InspectReply> {
  try {
    const session = await openSession(graph);
    const facts = {
      inputs: session.inputMetadata.map(portFacts),
      outputs: session.outputMetadata.map(portFacts),
    };
    await session.release();
    return { kind: "facts", facts };
  } catch (thrown) {
    return { kind: "refused", error: toPlainError(thrown) };
  }
}

port.postMessage(await inspect(workerData as GraphFiles));
