import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { GuardEvaluation } from "../src/documents/evaluation.js";
import { guardReasons, type TextGuard } from "../src/documents/guard.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { compileGuards } from "../src/router/policy/guards/compile-guards.js";
import { rateOf } from "./stats/rate.js";

/** A guard, and whether the policy of the run uses it. */
export interface GuardInUse {
  readonly guard: TextGuard;
  readonly enabled: boolean;
}

/** Which requests a guard stops, without texts. */
export interface GuardOutcome extends Pick<GuardEvaluation, "guard_id" | "reason_code" | "enabled"> {
  /** Ids in the order of the records. */
  readonly stopped: readonly string[];
}

/**
 * Effect of each guard alone: in-scope requests that it declines, each a mistake, and out-of-scope requests that it
 * catches. Guards run before any model, so this needs only texts and labels, and also covers guards outside the
 * policy. Records that could not be scored and records without a text are left out.
 * @param isCounted  records of the rates, such as those of one fold; the digest covers the stopped ids of all records
 */
export function guardRates(
  records: readonly ScoredRecord[],
  textOf: (id: string) => string | undefined,
  guards: readonly GuardInUse[],
  isCounted: (record: ScoredRecord) => boolean = () => true,
): readonly GuardEvaluation[] {
  const counted = records.filter((record) => textOf(record.id) !== undefined && isCounted(record));
  return ratesOfOutcomes(counted, guardOutcomes(records, textOf, guards));
}

/** Which requests each guard alone stops. Records without a text are not stopped. */
export function guardOutcomes(
  records: readonly Pick<ScoredRecord, "id">[],
  textOf: (id: string) => string | undefined,
  guards: readonly GuardInUse[],
): readonly GuardOutcome[] {
  return guards.map(({ guard, enabled }) => {
    const [compiled] = compileGuards([guard]);
    const stops = ({ id }: { readonly id: string }): boolean => {
      const text = textOf(id);
      return text !== undefined && compiled?.stops(text.trim()) === true;
    };
    const { guard_id, kind } = guard;
    return {
      guard_id,
      reason_code: guardReasons[kind],
      enabled,
      stopped: records.filter(stops).map(({ id }) => id),
    };
  });
}

/**
 * The rates of guards whose outcomes are known; needs no text. Records that could not be scored are left out.
 * @param outcomes  of all folds of the run, also where the records are those of one
 */
export function ratesOfOutcomes(
  records: readonly ScoredRecord[],
  outcomes: readonly GuardOutcome[],
): readonly GuardEvaluation[] {
  const scored = records.filter(({ error_code: errorCode }) => errorCode === null);
  return outcomes.map(({ stopped, ...guard }) => {
    const ids = new Set(stopped);
    const events = scored.map(({ id, cluster, workflow_id: workflowId }) => ({
      id,
      inScope: workflowId !== null,
      cluster,
      event: ids.has(id),
    }));
    return {
      ...guard,
      stopped_sha256: sha256Hex(canonicalBytes(stopped.toSorted())),
      in_scope_declined: rateOf(events.filter((each) => each.inScope)),
      out_of_scope_declined: rateOf(events.filter((each) => !each.inScope)),
    };
  });
}
