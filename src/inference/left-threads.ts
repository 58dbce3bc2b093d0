import type { Worker } from "node:worker_threads";

const left = new Set<Worker>();

/** Marks a thread that nobody waits for any longer, so that it does not keep the process alive. */
export function leaveThread(worker: Worker): void {
  worker.unref();
  left.add(worker);
  worker.once("exit", () => left.delete(worker));
}

/**
 * Whether abandoned threads are still running. Node waits for its threads before it exits, and a thread inside ONNX
 * Runtime can be neither ended nor interrupted, so only a signal ends such a process.
 */
export const threadsAreLeft = (): boolean => left.size > 0;
