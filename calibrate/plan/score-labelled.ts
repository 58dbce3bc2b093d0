import type { CalibratorCurve, CalibratorFamily } from "../../src/domain/calibrator.js";
import type { WorkflowId } from "../../src/domain/primitives.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import { aurc } from "../../eval/stats/risk-coverage.js";
import { scoreTable } from "../../eval/stats/score-table.js";
import { crossFit } from "../cross-fit.js";
import type { RoutableRow } from "../routable.js";

/** Labelled requests as certification would see them. */
export interface ScoredLabels {
  readonly rows: readonly RoutableRow[];
  readonly calibrator: CalibratorCurve;
  readonly minRetrievalScore: number;
}

/** The family of the fallback: two parameters, which few labels can fit. */
const fallback: CalibratorFamily = "platt";

export interface LabelledScoreOptions {
  readonly family: CalibratorFamily | undefined;
  readonly parts: number;
  readonly outOfScopeShare: number | undefined;
  readonly certifiedWorkflows: readonly WorkflowId[] | null;
}

function tryCrossFit(records: readonly ScoredRecord[], options: LabelledScoreOptions): ScoredLabels | null {
  try {
    return crossFit(records, options);
  } catch (thrown) {
    if (thrown instanceof SluiceError && thrown.code === "FIT_FAILED") return null;
    throw thrown;
  }
}

/** Area under the curve of risk over coverage: smaller is a better order. */
function disorder({ rows }: ScoredLabels): number {
  const confidences = rows.map(({ confidence }) => confidence);
  const right = rows.map(({ error }) => !error);
  return aurc(scoreTable(confidences, right)).value ?? 1;
}

/**
 * Confidences of labelled requests, each from a calibrator that its own label had no part in. Certification fits its
 * calibrator on more requests than a plan has: where the family asked for orders the few labels worse than one with two
 * parameters, the latter stands for it. null when neither can be fitted.
 */
export function scoreLabelled(records: readonly ScoredRecord[], options: LabelledScoreOptions): ScoredLabels | null {
  const found = [options.family, fallback]
    .map((family) => tryCrossFit(records, { ...options, family }))
    .filter((labels) => labels !== null);
  const [first, second] = found;
  if (first === undefined) return null;
  return second !== undefined && disorder(second) < disorder(first) ? second : first;
}
