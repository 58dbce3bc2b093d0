import type { Worker } from "node:worker_threads";

const left = new Set<Worker>();

/** Nobody waits for this thread any more: it no longer keeps the process alive. */
export function leaveThread(worker: Worker): void {
  worker.unref();
  left.add(worker);
  worker.once("exit", () => left.delete(worker));
}

/**
 * Ends the process by a signal (exit status 137) when threads were left that still run; else returns. Node waits for its
 * threads before it exits, and a thread inside ONNX Runtime can neither be ended nor interrupted.
 * @param outputs  what was written to them is flushed first
 */
export async function endDespiteLeftThreads(outputs: readonly NodeJS.WritableStream[]): Promise<void> {
  if (left.size === 0) return;
  await Promise.all(outputs.map((output) => new Promise<void>((resolve) => output.write("", () => resolve()))));
  if (left.size > 0) process.kill(process.pid, "SIGKILL");
}
