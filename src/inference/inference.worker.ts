/** Owns the ONNX sessions of one thread. `run()` blocks its thread, so no session lives anywhere else. */
import { parentPort } from "node:worker_threads";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { SluiceError } from "../errors/error.js";
import { toPlainError } from "../errors/transport.js";
import type { FromWorker, Matrix, ToWorker } from "./protocol.js";

const port = parentPort;
if (port === null) throw new Error("inference.worker runs in a worker thread only");
const sessions = new Map<number, InferenceSession>();
const reply = (message: FromWorker): void => port.postMessage(message);

async function load(model: number, bytes: Uint8Array): Promise<void> {
  try {
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" as const };
    sessions.set(model, await InferenceSession.create(bytes, options));
    reply({ kind: "loaded", model, error: null });
  } catch (cause) {
    const error = new SluiceError("MODEL_INVALID", "ONNX Runtime refused the graph", { cause });
    reply({ kind: "loaded", model, error: toPlainError(error) });
  }
}

async function run(model: number, input: Matrix): Promise<Matrix> {
  const session = sessions.get(model);
  const inputName = session?.inputNames[0];
  const outputName = session?.outputNames[0];
  if (session === undefined || inputName === undefined || outputName === undefined) {
    throw new SluiceError("MODEL_RUN_FAILED", `model ${model} is not loaded`);
  }
  const tensor = new Tensor("float32", input.values, [input.rows, input.columns]);
  const outputs = await session.run({ [inputName]: tensor });
  return finiteMatrix(outputs[outputName], input.rows);
}

function finiteMatrix(output: Tensor | undefined, expectedRows: number): Matrix {
  const [rows, columns] = output?.dims ?? [];
  if (!(output?.data instanceof Float32Array) || rows !== expectedRows || columns === undefined) {
    throw new SluiceError("MODEL_RUN_FAILED", `model output is not a float matrix with ${expectedRows} rows`);
  }
  if (!output.data.every(Number.isFinite)) {
    throw new SluiceError("MODEL_RUN_FAILED", "model output holds a number that is not finite");
  }
  return { rows, columns, values: output.data };
}

async function runAll(jobs: readonly { readonly id: number; readonly model: number; readonly input: Matrix }[]) {
  for (const { id, model, input } of jobs) {
    try {
      reply({ kind: "done", id, output: await run(model, input) });
    } catch (thrown) {
      const error =
        thrown instanceof SluiceError
          ? thrown
          : new SluiceError("MODEL_RUN_FAILED", "ONNX Runtime failed to run the graph", { cause: thrown });
      reply({ kind: "failed", id, error: toPlainError(error) });
    }
  }
}

async function stop(): Promise<void> {
  for (const session of sessions.values()) await session.release();
  sessions.clear();
  reply({ kind: "stopped" });
  port?.close();
}

// One message at a time: a session is never released, or replaced, while it runs.
let queue = Promise.resolve();
port.on("message", (message: ToWorker) => {
  queue = queue.then(() => {
    switch (message.kind) {
      case "load":
        return load(message.model, message.bytes);
      case "run":
        return runAll(message.jobs);
      case "stop":
        return stop();
    }
  });
});
