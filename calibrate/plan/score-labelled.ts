import type { CalibratorCurve, CalibratorFamily } from "../../src/domain/calibrator.js";
import type { ClaimKind } from "../../src/domain/choices.js";
import type { WorkflowId } from "../../src/domain/primitives.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import { aurc } from "../../eval/stats/risk-coverage.js";
import { scoreTable } from "../../eval/stats/score-table.js";
import { countedRecords } from "../counted-records.js";
import {
  type CrossFitOptions,
  crossFitCalibrators,
  crossFittedRows,
  type CrossFittedCalibrators,
} from "../cross-fit.js";
import type { RoutableRow } from "../routable.js";

/** Labelled requests as certification would see them. */
export interface ScoredLabels {
  readonly rows: readonly RoutableRow[];
  readonly calibrator: CalibratorCurve;
  readonly minRetrievalScore: number;
}

/** The family of the fallback: two parameters, which few labels can fit. */
const fallback: CalibratorFamily = "platt";

type FittedLabels = CrossFittedCalibrators | null;

function tryCrossFit(records: readonly ScoredRecord[], options: CrossFitOptions): FittedLabels {
  try {
    return crossFitCalibrators(records, options);
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

/** Labelled requests scored for one claim; null when no calibrator can be fitted. */
export type LabelScorer = (
  family: CalibratorFamily | undefined,
  certifiedWorkflows: readonly WorkflowId[] | null,
  claim: ClaimKind,
) => ScoredLabels | null;

/**
 * Confidences of labelled requests, each from a calibrator that does not depend on their own labels. Certification
 * fits its calibrator on more requests than a plan has: where the requested family orders the few labels worse than
 * one with two parameters, the latter is used instead. Each family is fitted once, however many claims ask for it.
 */
export function labelScorer(records: readonly ScoredRecord[], options: Omit<CrossFitOptions, "family">): LabelScorer {
  const fits = new Map<CalibratorFamily | undefined, FittedLabels>();
  const fitOf = (family: CalibratorFamily | undefined): FittedLabels => {
    const known = fits.get(family);
    if (known !== undefined) return known;
    const fitted = tryCrossFit(records, { ...options, family });
    fits.set(family, fitted);
    return fitted;
  };
  return (family, certifiedWorkflows, claim) => {
    const counted = countedRecords(records, claim);
    const [first, second] = [family, fallback]
      .map(fitOf)
      .filter((fitted) => fitted !== null)
      .map((fitted): ScoredLabels => ({ ...fitted, rows: crossFittedRows(fitted, certifiedWorkflows, counted) }));
    if (first === undefined) return null;
    return second !== undefined && disorder(second) < disorder(first) ? second : first;
  };
}
