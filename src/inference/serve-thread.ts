import { parentPort } from "node:worker_threads";
import { SluiceError, toSluiceError } from "../base/error.js";
import { toPlainError } from "../base/transport.js";
import { toRunError } from "./models/open-session.js";
import type { FindModel, WorkerModel } from "./models/worker-model.js";
import type { FromWorker, Job, LoadProgress, ModelSpec, ToWorker, JobAnswer } from "./protocol.js";

/** Maximum time in milliseconds that an answer waits for others; longer runs are answered one by one. */
const longestWaitMs = 0.5;

/**
 * Sends the answers of short runs in one message, because a message costs more than such a run. A finished answer waits
 * at most `longestWaitMs` plus one further run of the same model.
 */
export class AnswersTogether {
  private readonly reply: (message: FromWorker) => void;
  private readonly now: () => number;
  private answers: JobAnswer[] = [];
  private lastSent: number;

  constructor(reply: (message: FromWorker) => void, now: () => number) {
    this.reply = reply;
    this.now = now;
    this.lastSent = now();
  }

  add(answer: JobAnswer): void {
    this.answers.push(answer);
    if (this.now() - this.lastSent >= longestWaitMs) this.send();
  }

  send(): void {
    this.lastSent = this.now();
    if (this.answers.length === 0) return;
    this.reply({ kind: "answered", answers: this.answers });
    this.answers = [];
  }
}

/** Services of the thread for a model being built. */
export interface LoadContext {
  readonly find: FindModel;
  readonly onProgress: (done: number, total: number) => void;
  /** Aborted if the model is no longer needed. */
  readonly signal: AbortSignal;
}

/** Builds the model that a specification describes. @throws {SluiceError} MODEL_INVALID */
export type CreateModel = (spec: ModelSpec, context: LoadContext) => Promise<WorkerModel>;

/** Interval between two heartbeats of a load, in milliseconds. */
const heartbeatMs = 250;

/** Runs the calling thread as a member of a pool until it is told to stop. It owns the models that `create` builds. */
export function serveThread(create: CreateModel): void {
  const port = parentPort;
  if (port === null) throw new Error("this program runs in a worker thread only");
  const thread = new ServingThread(
    create,
    (message) => port.postMessage(message),
    () => port.close(),
  );
  // Messages are processed one at a time, so that no session is released or replaced while it runs.
  let queue = Promise.resolve();
  port.on("message", (message: ToWorker) => {
    if (message.kind === "give_up") thread.giveUp(message.model);
    else queue = queue.then(thread.taskOf(message));
  });
}

/** `run()` of ONNX Runtime blocks its thread, so sessions exist only in threads like this one. */
class ServingThread {
  private readonly models = new Map<number, WorkerModel>();
  private readonly create: CreateModel;
  private readonly reply: (message: FromWorker) => void;
  private readonly end: () => void;
  /** Models whose load was cancelled, and the one being loaded. */
  private readonly givenUp = new Set<number>();
  private loading: { readonly model: number; readonly controller: AbortController } | null = null;

  constructor(create: CreateModel, reply: (message: FromWorker) => void, end: () => void) {
    this.create = create;
    this.reply = reply;
    this.end = end;
  }

  giveUp(model: number): void {
    this.givenUp.add(model);
    if (this.loading?.model === model) this.loading.controller.abort();
  }

  /** @throws {Error} on an unknown message: the thread exits between runs, and the pool replaces it */
  taskOf(message: Exclude<ToWorker, { readonly kind: "give_up" }>): () => Promise<void> {
    switch (message.kind) {
      case "load":
        return () => this.load(message.model, message.spec);
      case "unload":
        return () => this.unload(message.model);
      case "run":
        return () => this.run(message.jobs);
      case "stop":
        return () => this.stop();
      default:
        throw new Error("a message of an unknown kind reached an inference thread");
    }
  }

  private async load(model: number, spec: ModelSpec): Promise<void> {
    const controller = new AbortController();
    this.loading = { model, controller };
    if (this.givenUp.has(model)) controller.abort();
    let progress: LoadProgress | null = null;
    const sign = (): void => this.reply({ kind: "loading", model, progress });
    const signs = setInterval(sign, heartbeatMs);
    try {
      const { signal } = controller;
      const find: FindModel = (number) => this.models.get(number);
      const onProgress = (done: number, total: number): void => {
        progress = { done, total };
        if (done === 0 || done === total) sign();
      };
      const created = await this.create(spec, { find, onProgress, signal });
      this.models.set(model, created);
      this.reply({ kind: "loaded", model, error: null, built: created.built ?? null });
    } catch (thrown) {
      this.reply({ kind: "loaded", model, error: toPlainError(toSluiceError(thrown)), built: null });
    } finally {
      clearInterval(signs);
      this.loading = null;
    }
  }

  private async unload(model: number): Promise<void> {
    await this.models.get(model)?.release();
    this.models.delete(model);
  }

  private async run(jobs: readonly Job[]): Promise<void> {
    const byModel = new Map<number, Job[]>();
    for (const job of jobs) byModel.set(job.model, [...(byModel.get(job.model) ?? []), job]);
    for (const [model, own] of byModel) await this.runOn(model, own);
  }

  private async runOn(model: number, jobs: readonly Job[]): Promise<void> {
    const unanswered = new Set(jobs.map(({ id }) => id));
    const answers = new AnswersTogether(this.reply, () => performance.now());
    try {
      const loaded = this.models.get(model);
      if (loaded === undefined) throw new SluiceError("MODEL_RUN_FAILED", `model ${model} is not loaded`);
      for await (const outcome of loaded.run(jobs)) {
        unanswered.delete(outcome.id);
        answers.add("error" in outcome ? { id: outcome.id, error: toPlainError(outcome.error) } : outcome);
      }
      if (unanswered.size > 0)
        throw new SluiceError("MODEL_RUN_FAILED", `model ${model} left a job without an outcome`);
    } catch (thrown) {
      const error = toPlainError(toRunError(thrown));
      for (const id of unanswered) answers.add({ id, error });
    } finally {
      answers.send();
    }
  }

  private async stop(): Promise<void> {
    for (const model of this.models.values()) await model.release();
    this.models.clear();
    this.end();
  }
}
