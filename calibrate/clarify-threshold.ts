import type { ScoredRecord } from "../src/domain/scored-record.js";
import { type DecisionThresholds, decide } from "../src/policy/decide.js";
import { clopperPearsonLower } from "../src/stats/clopper-pearson.js";

export interface ClarifyOptions {
  /** Lower limit that the precision must reach, in (0, 1). Default 0.6: a wrong question costs little. */
  readonly precision?: number;
  /** Confidence of the one-sided lower limit. Default 0.95. */
  readonly confidence?: number;
}

/** A question about missing inputs is right when it concerns the gold workflow, and inputs are missing where labelled. */
function isRightQuestion(record: ScoredRecord, workflowId: string | null): boolean {
  return workflowId === record.workflowId && (record.expectedMissing === null || record.expectedMissing.length > 0);
}

/**
 * Smallest confidence, in thousandths, at which the precision of CLARIFY on TUNE has a Clopper-Pearson lower limit of at
 * least the wanted precision; 1 when there is none. An estimate on TUNE, not a certified claim: a wrong question starts
 * no workflow.
 *
 * @param thresholds  final thresholds of the tiers: their margins hold for CLARIFY too
 */
export function learnClarifyThreshold(
  records: readonly ScoredRecord[],
  thresholds: Omit<DecisionThresholds, "clarifyThreshold">,
  options: ClarifyOptions = {},
): number {
  const { precision = 0.6, confidence = 0.95 } = options;
  const mayAsk = ({ candidates }: ScoredRecord): boolean => candidates.some((one) => one.missingInputs.length > 0);
  const questions = records
    .filter((record) => record.errorCode === null && record.earlyReason === null && mayAsk(record))
    .map((record) => ({ record, decision: decide(record.candidates, { ...thresholds, clarifyThreshold: 0 }) }))
    .filter(({ decision }) => decision.decision === "CLARIFY")
    .map(({ record, decision }) => ({
      threshold: Math.floor(decision.confidence * 1000 + 1e-6) / 1000,
      right: isRightQuestion(record, decision.workflowId),
    }))
    .toSorted((a, b) => b.threshold - a.threshold);

  let smallest = 1;
  let right = 0;
  for (const [index, question] of questions.entries()) {
    if (question.right) right += 1;
    if (questions[index + 1]?.threshold === question.threshold) continue;
    if (clopperPearsonLower(right, index + 1, 1 - confidence) >= precision) smallest = question.threshold;
  }
  return smallest;
}
