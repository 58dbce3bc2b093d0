import type { GuardEvaluation } from "../src/domain/evaluation.js";
import { guardReasons, type TextGuard } from "../src/domain/guard.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import { compileGuards } from "../src/policy/guards/compile-guards.js";
import { rateOf } from "./stats/rate.js";

/** A guard, and whether the policy of the run asks it. */
export interface GuardInUse {
  readonly guard: TextGuard;
  readonly enabled: boolean;
}

/**
 * What each guard alone does to the texts: in-scope requests that it declines, each a mistake, and out-of-scope requests
 * that it catches. A guard is asked before any model, so this needs texts and labels only, and a guard that is not in
 * the policy can be judged too. Records that could not be scored and records without a text are left out.
 */
export function guardRates(
  records: readonly ScoredRecord[],
  textOf: (id: string) => string | undefined,
  guards: readonly GuardInUse[],
): readonly GuardEvaluation[] {
  const texts = records.flatMap(({ id, cluster, workflowId, errorCode }) => {
    const text = errorCode === null ? textOf(id) : undefined;
    return text === undefined ? [] : [{ text: text.trim(), cluster, inScope: workflowId !== null }];
  });
  return guards.map(({ guard, enabled }) => {
    const [compiled] = compileGuards([guard]);
    const stopped = texts.map(({ text, cluster, inScope }) => ({
      inScope,
      cluster,
      event: compiled?.stops(text) === true,
    }));
    return {
      guardId: guard.guardId,
      reasonCode: guardReasons[guard.kind],
      enabled,
      inScopeDeclined: rateOf(stopped.filter((each) => each.inScope)),
      outOfScopeDeclined: rateOf(stopped.filter((each) => !each.inScope)),
    };
  });
}
