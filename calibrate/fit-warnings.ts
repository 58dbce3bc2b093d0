import type { ScoredRecord } from "../src/domain/scored-record.js";
import type { FitCalibrationInput } from "./fit-input.js";
import { formatCount, formatFixedPercent } from "../src/domain/number-text.js";

/** Below this number of groups the out-of-scope part of a claim rests on too few draws. A rule of thumb. */
const fewGroups = 20;

/** Limitations of the certification data for readers of the claims; empty when there are none. */
export function fitWarnings(
  input: Pick<FitCalibrationInput, "records" | "outOfScopeShare">,
  tested: readonly ScoredRecord[],
): readonly string[] {
  const warnings: string[] = [];
  const failed = input.records.filter((record) => record.errorCode !== null).length;
  if (failed > 0) warnings.push(`${formatCount(failed)} requests failed and are excluded from every count.`);

  const outOfScope = tested.filter((record) => record.workflowId === null);
  const ungrouped = outOfScope.filter((record) => record.cluster.startsWith("row:")).length;
  const groups = new Set(outOfScope.map((record) => record.cluster)).size;
  if (outOfScope.length === 0) {
    warnings.push("The tested requests have none out of scope: the claims hold only where every request is in scope.");
  } else if (groups < fewGroups) {
    warnings.push(
      `The tested requests have ${groups} out-of-scope groups: how many of them are routed is known only roughly.`,
    );
  }
  if (ungrouped > 0) {
    warnings.push(
      `${formatCount(ungrouped)} out-of-scope requests have no group_id; each is counted as its own group. Limits may be too narrow.`,
    );
  }
  if (input.outOfScopeShare !== undefined && input.outOfScopeShare > 0 && outOfScope.length === 0) {
    warnings.push(
      `The declared out-of-scope share of ${formatFixedPercent(input.outOfScopeShare)} has no evidence: every such request counts as routed.`,
    );
  }
  return warnings;
}
