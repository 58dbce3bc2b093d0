import { SluiceError } from "../../base/error.js";
import type { Job, JobInput, JobOutput, ModelSpec, RowsOutput } from "../protocol.js";
import { requireRows } from "../require-rows.js";
import { createWorkerModel } from "./create-worker-model.js";
import { toRunError } from "./open-session.js";
import type { FindModel, WorkerModel } from "./worker-model.js";
import type { RunScope } from "../../documents/run-scope.js";

interface LocalCall {
  readonly job: Job;
  readonly resolve: (output: JobOutput) => void;
  readonly reject: (error: SluiceError) => void;
}

/**
 * Models that run in the calling thread, for a scorer in the same thread. Jobs for the same model in one turn of the
 * event loop run together. Models run one at a time, so that none is called while it is running.
 */
export class LocalModels implements ModelHost {
  private readonly own = new Map<number, WorkerModel>();
  private readonly find: FindModel;
  private waiting: LocalCall[] = [];
  private isRunning = false;
  private lastJob = 0;

  /** @param find finds a model that the thread has loaded; numbers start at 1 */
  constructor(find: FindModel) {
    this.find = (model) => this.own.get(model) ?? find(model);
  }

  async load(spec: ModelSpec): Promise<LoadedModel> {
    const model = -1 - this.own.size;
    this.own.set(model, await createWorkerModel(spec));
    return this.at(model);
  }

  at(model: number): LoadedModel {
    return { model, run: (input) => this.run(model, input) };
  }

  async release(): Promise<void> {
    for (const model of this.own.values()) await model.release();
  }

  private async run(model: number, input: JobInput): Promise<RowsOutput> {
    this.lastJob += 1;
    const job = { id: this.lastJob, model, input };
    const output = new Promise<JobOutput>((resolve, reject) => this.waiting.push({ job, resolve, reject }));
    if (!this.isRunning) void this.runWaiting();
    return requireRows(await output);
  }

  private async runWaiting(): Promise<void> {
    this.isRunning = true;
    // Requests started in this turn of the event loop also request their first run in it.
    await Promise.resolve();
    for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
      const { model } = first.job;
      const calls = this.waiting.filter(({ job }) => job.model === model);
      this.waiting = this.waiting.filter(({ job }) => job.model !== model);
      await this.runTogether(model, calls);
    }
    this.isRunning = false;
  }

  private async runTogether(model: number, calls: readonly LocalCall[]): Promise<void> {
    const unanswered = new Map(calls.map((call) => [call.job.id, call]));
    let failure: SluiceError | null = null;
    try {
      const found = this.find(model);
      if (found === undefined) throw new SluiceError("MODEL_RUN_FAILED", "a model of the scorer is not loaded");
      for await (const outcome of found.run(calls.map(({ job }) => job))) {
        const call = unanswered.get(outcome.id);
        unanswered.delete(outcome.id);
        if ("error" in outcome) call?.reject(outcome.error);
        else call?.resolve(outcome.output);
      }
    } catch (thrown) {
      failure = toRunError(thrown);
    }
    for (const call of unanswered.values()) {
      call.reject(failure ?? new SluiceError("MODEL_RUN_FAILED", "a model left a job without an outcome"));
    }
  }
}

export interface LoadedModel {
  /** Number of the model, the same in every thread. */
  readonly model: number;
  /**
   * Returns one row of output per row of input. A late result is dropped; the thread keeps running.
   * @throws {SluiceError} SERVER_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED, MODEL_RUN_FAILED
   */
  run(input: JobInput, scope: RunScope): Promise<RowsOutput>;
}

export interface ModelHost {
  /** @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED */
  load(spec: ModelSpec): Promise<LoadedModel>;
}
