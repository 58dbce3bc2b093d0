import { Worker } from "node:worker_threads";
import { SluiceError } from "../errors/error.js";
import { fromPlainError } from "../errors/transport.js";
import type { RunScope } from "../domain/run-scope.js";
import type { FromWorker, Job, JobInput, JobOutput, ModelSpec, ToWorker } from "./protocol.js";

export interface InferencePoolOptions {
  /** Threads; each holds its own copy of every model. At most one per core. */
  readonly workers: number;
  /** Runs that may wait or be under way at once; one more is refused. */
  readonly queueLimit: number;
}

export interface LoadedModel {
  /** Its number in every thread. */
  readonly model: number;
  /**
   * One row of output per row of input. A late result is dropped; the thread is left alone.
   * @throws {SluiceError} BACKEND_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED, MODEL_RUN_FAILED
   */
  run(input: JobInput, scope: RunScope): Promise<JobOutput>;
}

interface Pending {
  readonly member: Member;
  readonly resolve: (output: JobOutput) => void;
  readonly reject: (error: SluiceError) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

interface Member {
  readonly worker: Worker;
  /** Settles when the thread has ended. */
  readonly ended: Promise<void>;
  /** Why the thread takes no more work, null while it does. */
  failure: SluiceError | null;
  readonly waiting: Job[];
  underWay: number;
}

/**
 * Worker threads that own the ONNX sessions; the calling thread never runs a model. Calls of one turn of the event
 * loop travel in one message. Threads end only by finishing their work: ending one inside ONNX Runtime would abort the
 * process.
 */
export class InferencePool {
  private readonly options: InferencePoolOptions;
  private readonly members: Member[];
  private readonly pending = new Map<number, Pending>();
  private readonly loading = new Map<string, (error: SluiceError | null) => void>();
  private nextJob = 1;
  private nextModel = 1;
  private flushing = false;
  private closed: Promise<void> | null = null;

  constructor(options: InferencePoolOptions) {
    this.options = options;
    const entry = new URL("./inference.worker.js", import.meta.url);
    this.members = Array.from({ length: options.workers }, () => {
      const worker = new Worker(entry);
      const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
      return { worker, ended, failure: null, waiting: [], underWay: 0 };
    });
    for (const [index, member] of this.members.entries()) this.listen(member, index);
  }

  /**
   * Builds the model in every thread; the bytes given are the bytes used.
   * @throws {SluiceError} MODEL_INVALID, or MODEL_RUN_FAILED when a thread has failed or the pool is closed
   */
  async load(spec: ModelSpec): Promise<LoadedModel> {
    const model = this.nextModel;
    this.nextModel += 1;
    await Promise.all(
      this.members.map(
        (member, index) =>
          new Promise<void>((resolve, reject) => {
            const refusal = this.closed === null ? member.failure : poolIsClosed();
            if (refusal !== null) return reject(refusal);
            this.loading.set(`${index}:${model}`, (error) => (error === null ? resolve() : reject(error)));
            this.send(member, { kind: "load", model, spec });
          }),
      ),
    );
    return { model, run: (input, scope) => this.run(model, input, scope) };
  }

  /** Lets every thread finish its work, releases the sessions and ends the threads. Idempotent. */
  close(): Promise<void> {
    this.closed ??= Promise.all(
      this.members.map((member) => {
        this.flush(member);
        this.send(member, { kind: "stop" });
        return member.ended;
      }),
    ).then(() => undefined);
    return this.closed;
  }

  /** What keeps every run from being answered; empty while one thread can run. */
  problems(): readonly string[] {
    return this.members.some(({ failure }) => failure === null) ? [] : ["no inference thread is left"];
  }

  private run(model: number, input: JobInput, scope: RunScope): Promise<JobOutput> {
    if (this.closed !== null) return Promise.reject(poolIsClosed());
    const member = this.leastBusy();
    if (member.failure !== null) return Promise.reject(member.failure);
    if (this.pending.size >= this.options.queueLimit) {
      const message = `${this.pending.size} runs are waiting, at most ${this.options.queueLimit} may`;
      return Promise.reject(new SluiceError("BACKEND_OVERLOADED", message));
    }
    const id = this.nextJob;
    this.nextJob += 1;
    return new Promise<JobOutput>((resolve, reject) => {
      const left = scope.remainingMs();
      const timer = Number.isFinite(left) ? setTimeout(() => this.expire(id), Math.max(0, left)) : undefined;
      this.pending.set(id, { member, resolve, reject, timer });
      member.waiting.push({ id, model, input, alone: scope.alone });
      this.flushSoon();
    });
  }

  private leastBusy(): Member {
    const load = (member: Member): number =>
      member.failure === null ? member.waiting.length + member.underWay : Number.POSITIVE_INFINITY;
    return this.members.reduce((best, member) => (load(member) < load(best) ? member : best));
  }

  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      for (const member of this.members) this.flush(member);
    });
  }

  private flush(member: Member): void {
    const jobs = member.waiting.splice(0).filter(({ id }) => this.pending.has(id));
    if (jobs.length === 0) return;
    member.underWay += jobs.length;
    this.send(member, { kind: "run", jobs });
  }

  private expire(id: number): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    this.pending.delete(id);
    pending.reject(new SluiceError("DEADLINE_EXCEEDED", "no model output before the deadline of the request"));
  }

  private listen(member: Member, index: number): void {
    member.worker.on("message", (message: FromWorker) => this.receive(member, index, message));
    member.worker.on("error", (cause) =>
      this.fail(member, index, new SluiceError("MODEL_RUN_FAILED", "an inference thread failed", { cause })),
    );
    member.worker.on("exit", () =>
      this.fail(member, index, new SluiceError("MODEL_RUN_FAILED", "an inference thread has ended")),
    );
  }

  private receive(member: Member, index: number, message: FromWorker): void {
    switch (message.kind) {
      case "loaded": {
        const key = `${index}:${message.model}`;
        const settle = this.loading.get(key);
        this.loading.delete(key);
        settle?.(message.error === null ? null : fromPlainError(message.error));
        return;
      }
      case "done":
        member.underWay -= 1;
        this.settle(message.id)?.resolve(message.output);
        return;
      case "failed":
        member.underWay -= 1;
        this.settle(message.id)?.reject(fromPlainError(message.error));
        return;
      case "stopped":
        return;
    }
  }

  private settle(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    if (pending === undefined) return undefined;
    this.pending.delete(id);
    clearTimeout(pending.timer);
    return pending;
  }

  private fail(member: Member, index: number, error: SluiceError): void {
    member.failure ??= error;
    for (const [key, settle] of this.loading) {
      if (!key.startsWith(`${index}:`)) continue;
      this.loading.delete(key);
      settle(error);
    }
    for (const [id, pending] of this.pending) if (pending.member === member) this.settle(id)?.reject(error);
  }

  private send(member: Member, message: ToWorker): void {
    member.worker.postMessage(message);
  }
}

const poolIsClosed = (): SluiceError => new SluiceError("MODEL_RUN_FAILED", "the inference pool is closed");
