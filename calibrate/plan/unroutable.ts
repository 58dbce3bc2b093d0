import type { ReasonCode } from "../../src/domain/decision.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { groupBy } from "../../src/stats/group-by.js";
import { decide } from "../../src/policy/decide.js";
import { type OpenGates, openThresholds } from "../routable.js";
import type { StoppedBySentinels, Unroutable } from "./calibration-plan.js";

/** Share of requests stopped by forbidden candidates from which a plan reports them. */
const notable = 0.1;

function reasonOf(record: ScoredRecord, gates: OpenGates): ReasonCode | null {
  if (record.earlyReason !== null) return record.earlyReason;
  const { decision, reasonCode } = decide(record.candidates, openThresholds(gates));
  return decision === "ROUTE" ? null : reasonCode;
}

/** Requests that no threshold would route by the reason that stops them, most frequent first. */
export function unroutableRequests(records: readonly ScoredRecord[], gates: OpenGates): readonly Unroutable[] {
  const reasons = records
    .filter(({ errorCode }) => errorCode === null)
    .flatMap((record) => reasonOf(record, gates) ?? []);
  return [...groupBy(reasons, (reason) => reason)]
    .map(([reason, found]) => ({ reason, requests: found.length }))
    .sort((a, b) => b.requests - a.requests || (a.reason < b.reason ? -1 : 1));
}

/**
 * Requests stopped by forbidden candidates: their best match is not allowed for the caller. Without sentinels their
 * best allowed candidate would decide; its error rate is the risk of disabling sentinels.
 */
export function stoppedBySentinels(records: readonly ScoredRecord[], gates: OpenGates): StoppedBySentinels | null {
  const stopped = records.filter(
    (record) => record.errorCode === null && reasonOf(record, gates) === "BETTER_MATCH_NOT_ALLOWED",
  );
  if (stopped.length === 0 || stopped.length < notable * records.length) return null;
  const without = stopped.map((record) => {
    const candidates = record.candidates.filter(({ eligible }) => eligible);
    const { decision, workflowId } = decide(candidates, openThresholds(gates));
    return decision === "ROUTE" ? { wrong: workflowId !== record.workflowId } : null;
  });
  const judged = without.filter((one) => one !== null);
  return {
    requests: stopped.length,
    of: records.length,
    judged: judged.length,
    wrong: judged.filter(({ wrong }) => wrong).length,
  };
}
