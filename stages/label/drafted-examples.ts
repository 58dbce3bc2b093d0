import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { firstEligible } from "../../src/router/policy/apply-calibration.js";

/** A text that may be an example of a workflow, by the router's own confidence in [0, 1]. */
export interface DraftedExample {
  readonly id: string;
  readonly workflow_id: string;
  readonly confidence: number;
}

/** A draft has at most this many texts of each workflow, and none of less confidence. Settled on the panel. */
const perWorkflow = 10;
const leastConfidence = 0.3;

/**
 * A balanced draft of examples for a catalog that has few: the most confident texts of each workflow, in the order of
 * `workflowIds`. It is one round of self-training, which helps some catalogs and harms others until it is reviewed.
 */
export function draftedExamples(
  records: readonly ScoredRecord[],
  workflowIds: readonly string[],
): readonly DraftedExample[] {
  const guesses = records.flatMap(({ id, candidates }): readonly DraftedExample[] => {
    const { workflow_id, confidence } = firstEligible(candidates) ?? { workflow_id: "", confidence: 0 };
    return confidence < leastConfidence ? [] : [{ id, workflow_id, confidence }];
  });
  guesses.sort((a, b) => b.confidence - a.confidence || (a.id < b.id ? -1 : 1));
  return workflowIds.flatMap((workflowId) =>
    guesses.filter(({ workflow_id }) => workflow_id === workflowId).slice(0, perWorkflow),
  );
}
