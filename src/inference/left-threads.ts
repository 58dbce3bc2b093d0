import type { Worker } from "node:worker_threads";

const left = new Set<Worker>();

/** This thread is no longer waited for: it does not keep the process alive. */
export function leaveThread(worker: Worker): void {
  worker.unref();
  left.add(worker);
  worker.once("exit", () => left.delete(worker));
}

/**
 * Whether threads that were left still run. Node waits for its threads before it exits, and a thread inside ONNX Runtime
 * can neither be ended nor interrupted: only a signal ends such a process.
 */
export const threadsAreLeft = (): boolean => left.size > 0;
