import type { VerifyBundleOptions } from "../../src/trust/verify/verify-bundle.js";
import { explainStart } from "../../src/router/start/explain-start.js";
import { type BundleExpectations, expectationProblems, type StartupReason } from "./expectations.js";
import { runInThread } from "../../src/trust/thread.js";

export interface StartupQuestion extends VerifyBundleOptions {
  readonly expectations: BundleExpectations;
  readonly workers: number;
}

/** Lists every reason why a bundle does not start in production; the rules are checked independently. */
export async function findStartupReasons(question: StartupQuestion): Promise<readonly StartupReason[]> {
  const { manifest, findings, notWarmed } = await explainStart({ ...question, files: null });
  const found = [
    ...findings.map(({ rule, code, message }): StartupReason => ({ rule, code, message })),
    ...(notWarmed === null ? [] : [{ rule: "warm_up", code: "WARMUP_FAILED", message: notWarmed } as const]),
  ];
  if (manifest === null) return found;
  const expected = expectationProblems(manifest, question.expectations);
  return [
    ...found,
    ...expected.map(({ rule, message }): StartupReason => ({ rule, code: "IDENTITY_MISMATCH", message })),
  ];
}

/** Runs `findStartupReasons` in a thread, because the current thread may be answering requests. */
export function findReasonsInThread(question: StartupQuestion): Promise<readonly StartupReason[]> {
  return runInThread(new URL("./startup-reasons.worker.js", import.meta.url), question);
}
