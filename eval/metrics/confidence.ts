import type { CalibratedCandidate } from "../../src/domain/decision.js";
import type { Evaluation } from "../../src/domain/evaluation.js";
import { matchLogit } from "../../src/policy/apply-calibration.js";
import { brierScore } from "../../src/stats/brier.js";
import { expectedCalibrationError, reliabilityBins } from "../../src/stats/reliability.js";
import { aurc, riskCoverageCurve } from "../../src/stats/risk-coverage.js";
import { auroc } from "../../src/stats/roc.js";
import { scoreTable } from "../../src/stats/score-table.js";
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
  const stated = scoreTable(
    scored.map((o) => o.top.confidence),
    scored.map((o) => o.topIsRight),
  );
  const scope = scoreTable(
    scored.map((o) => matchLogit(o.top.logits)),
    scored.map((o) => o.inScope),
  );
  return {
    aurc: aurc(stated),
    expectedCalibrationError: expectedCalibrationError(stated, reliabilityBinCount),
    brier: brierScore(stated),
    outOfScopeAuroc: auroc(scope),
    riskCoverage: riskCoverageCurve(stated, outcomes.length, maximumCurvePoints),
    reliability: reliabilityBins(stated, reliabilityBinCount),
  };
}
