import { runInThread } from "../../src/trust/thread.js";
import type { StartupQuestion } from "./find-startup-reasons.js";
import type { StartupReason } from "./startup-reason.js";

/** Runs `findStartupReasons` in a thread, because the current thread may be answering requests. */
export function findReasonsInThread(question: StartupQuestion): Promise<readonly StartupReason[]> {
  return runInThread(new URL("./startup-reasons.worker.js", import.meta.url), question);
}
