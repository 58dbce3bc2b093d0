/** Owns the ONNX sessions of one thread. `run()` blocks its thread, so no session lives anywhere else. */
import { parentPort } from "node:worker_threads";
import { SluiceError, toSluiceError } from "../errors/error.js";
import { toPlainError } from "../errors/transport.js";
import { AnswersTogether } from "./answers-together.js";
import { createWorkerModel } from "./models/create-worker-model.js";
import { toRunError } from "./models/run-error.js";
import type { WorkerModel } from "./models/worker-model.js";
import type { FromWorker, Job, ModelSpec, ToWorker } from "./protocol.js";

const port = parentPort;
if (port === null) throw new Error("inference.worker runs in a worker thread only");
const models = new Map<number, WorkerModel>();
const reply = (message: FromWorker): void => port.postMessage(message);

async function load(model: number, spec: ModelSpec): Promise<void> {
  try {
    models.set(model, await createWorkerModel(spec, (number) => models.get(number)));
    reply({ kind: "loaded", model, error: null });
  } catch (thrown) {
    reply({ kind: "loaded", model, error: toPlainError(toSluiceError(thrown)) });
  }
}

async function run(jobs: readonly Job[]): Promise<void> {
  const byModel = new Map<number, Job[]>();
  for (const job of jobs) byModel.set(job.model, [...(byModel.get(job.model) ?? []), job]);
  for (const [model, own] of byModel) await runOn(model, own);
}

async function runOn(model: number, jobs: readonly Job[]): Promise<void> {
  const unanswered = new Set(jobs.map(({ id }) => id));
  const answers = new AnswersTogether(reply, () => performance.now());
  try {
    const loaded = models.get(model);
    if (loaded === undefined) throw new SluiceError("MODEL_RUN_FAILED", `model ${model} is not loaded`);
    for await (const outcome of loaded.run(jobs)) {
      unanswered.delete(outcome.id);
      answers.add("error" in outcome ? { id: outcome.id, error: toPlainError(outcome.error) } : outcome);
    }
    if (unanswered.size > 0) throw new SluiceError("MODEL_RUN_FAILED", `model ${model} left a job without an outcome`);
  } catch (thrown) {
    const error = toPlainError(toRunError(thrown));
    for (const id of unanswered) answers.add({ id, error });
  } finally {
    answers.send();
  }
}

async function stop(): Promise<void> {
  for (const model of models.values()) await model.release();
  models.clear();
  port?.close();
}

/** @throws {Error} at once on a message of another kind: the thread ends between runs, and the pool replaces it */
function taskOf(message: ToWorker): () => Promise<void> {
  switch (message.kind) {
    case "load":
      return () => load(message.model, message.spec);
    case "run":
      return () => run(message.jobs);
    case "stop":
      return stop;
    default:
      throw new Error("a message of an unknown kind reached an inference thread");
  }
}

// One message at a time: a session is never released, or replaced, while it runs.
let queue = Promise.resolve();
port.on("message", (message: ToWorker) => {
  queue = queue.then(taskOf(message));
});
