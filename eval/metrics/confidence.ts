import type { CalibratedCandidate } from "../../src/domain/decision.js";
import type { Evaluation, RiskCoveragePoint } from "../../src/domain/evaluation.js";
import { matchLogit } from "../../src/policy/apply-calibration.js";
import { brierScore, expectedCalibrationError, reliabilityBins } from "../../src/stats/reliability.js";
import { aurc, riskCoverageCurve } from "../../src/stats/risk-coverage.js";
import { auroc } from "../../src/stats/roc.js";
import type { RecordOutcome } from "./record-outcome.js";

type ConfidenceMetrics = Pick<
  Evaluation,
  "aurc" | "expectedCalibrationError" | "brier" | "outOfScopeAuroc" | "riskCoverage" | "reliability"
>;

const reliabilityBinCount = 10;
const maximumCurvePoints = 400;

type ScoredOutcome = RecordOutcome & { readonly top: CalibratedCandidate };

/**
 * Quality of the confidence of the top candidate, before any threshold, margin or input rule. An outcome is right when
 * the top candidate is the gold workflow, so an out-of-scope request never is. Requests without a candidate have no
 * confidence: they are in no metric here, but in the denominator of the coverage of the curve.
 * The AUROC is taken on match logits, because rounded confidences tie.
 */
export function confidenceMetrics(outcomes: readonly RecordOutcome[]): ConfidenceMetrics {
  const scored = outcomes.filter((o): o is ScoredOutcome => o.top !== null);
  const stated = scored.map((o) => ({ confidence: o.top.confidence, correct: o.topIsRight }));
  const ranked = scored.map((o) => ({ score: o.top.confidence, error: !o.topIsRight }));
  const logitsOf = (inScope: boolean): readonly number[] =>
    scored.filter((o) => o.inScope === inScope).map((o) => matchLogit(o.top.logits));
  return {
    aurc: aurc(ranked),
    expectedCalibrationError: expectedCalibrationError(stated, reliabilityBinCount),
    brier: brierScore(stated),
    outOfScopeAuroc: auroc(logitsOf(true), logitsOf(false)),
    riskCoverage: thinCurve(riskCoverageCurve(ranked, outcomes.length)),
    reliability: reliabilityBins(stated, reliabilityBinCount),
  };
}

/** At most `maximumCurvePoints` points, evenly spaced by position; first and last are kept. */
function thinCurve(points: readonly RiskCoveragePoint[]): readonly RiskCoveragePoint[] {
  if (points.length <= maximumCurvePoints) return points;
  const step = (points.length - 1) / (maximumCurvePoints - 1);
  return Array.from({ length: maximumCurvePoints }, (_, i) => points[Math.round(i * step)]).filter(
    (point) => point !== undefined,
  );
}
