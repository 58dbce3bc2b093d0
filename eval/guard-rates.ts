import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { GuardEvaluation } from "../src/documents/evaluation.js";
import { guardReasons, type TextGuard } from "../src/documents/guard.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { compileGuards } from "../src/router/policy/guards/compile-guards.js";
import { rateOf } from "./stats/rate.js";

/** A guard, and whether the run's policy enables it. */
export interface GuardInUse {
  readonly guard: TextGuard;
  readonly enabled: boolean;
}

/** The requests that a guard stops; contains no request text. */
export interface GuardOutcome extends Pick<GuardEvaluation, "guard_id" | "reason_code" | "enabled"> {
  /** Ids in the order of the records. */
  readonly stopped: readonly string[];
}

/**
 * The effect of each guard on its own: in-scope requests that it declines (each a mistake) and out-of-scope requests
 * that it catches. Guards run before any model, so this needs only texts and labels, and also covers guards that the
 * policy does not enable. Records that could not be scored and records without a text are left out.
 * @param isCounted  selects the records that the rates count, such as one fold; the digest covers the stopped ids of
 *   all records
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

/** The requests that each guard stops on its own. Records without a text are not stopped. */
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
 * Guard rates from known outcomes; needs no text. Records that could not be scored are left out.
 * @param outcomes  of all folds of the run, even if `records` covers only one
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
