import type { Calibration, Claim, TierCalibration } from "../../src/documents/calibration.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import type {
  Estimate,
  Evaluation,
  EvaluationDetail,
  Measured,
  TierEvaluation,
} from "../../src/documents/evaluation.js";
import { rateOf } from "../support/rate-of.js";
import { brierScore, logLoss } from "../../eval/stats/proper-scores.js";
import { expectedCalibrationError, reliabilityBins } from "../../eval/stats/reliability.js";
import { augrc, aurc, riskCoverageCurve } from "../../eval/stats/risk-coverage.js";
import { auroc, falsePositiveRateAt, scoreTable } from "../../eval/stats/roc.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import type { CatalogNames } from "../../reports/tier-view.js";
import type { ReportLineage } from "../../reports/lineage-view.js";
import type { ReportInput } from "../../reports/view-model.js";
import { aClaim, aCalibration as aFullCalibration, aTier } from "../support/builders.js";

const digest = (letter: string): string => letter.repeat(64);

/** Digests that agree with `anEvaluation()` and `aCalibration()`. */
export const aLineage: ReportLineage = {
  evaluation: digest("e"),
  run: digest("a"),
  calibration: digest("c"),
  dataset: digest("d"),
  split: digest("5"),
  catalog: digest("b"),
};

interface Row {
  readonly cluster: string;
  readonly inScope: boolean;
  readonly tier: RiskTier;
  readonly confidence: number;
  readonly correct: boolean;
}

/** Requests of 28 workflows and 8 out-of-scope groups whose confidence is nearly calibrated. */
function rows(count: number): readonly Row[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, index) => {
    const inScope = index % 6 !== 0;
    const group = random.integer(0, inScope ? 27 : 7);
    const confidence = Math.round((inScope ? random.uniform() ** 0.12 : random.uniform() ** 1.5 * 0.93) * 1e4) / 1e4;
    const tier = riskTiers[inScope ? group % 4 : random.integer(0, 3)] ?? "low";
    const correct = inScope && random.uniform() < confidence ** 0.7;
    return { cluster: `${inScope ? "w" : "o"}${group}`, inScope, tier, confidence, correct };
  });
}

const thresholds: Readonly<Record<RiskTier, number | null>> = { low: 0.85, medium: 0.91, high: 0.97, critical: null };
const targets: Readonly<Record<RiskTier, number>> = { low: 0.15, medium: 0.1, high: 0.05, critical: 0.02 };

function isRouted(row: Row): boolean {
  const threshold = thresholds[row.tier];
  return threshold !== null && row.confidence >= threshold;
}

function trials(of: readonly Row[], event: (row: Row) => boolean) {
  return of.map((row) => ({ cluster: row.cluster, event: event(row) }));
}

function tierEvaluation(all: readonly Row[], tier: RiskTier): TierEvaluation {
  const own = all.filter((row) => row.tier === tier);
  return {
    tier,
    routed: rateOf(trials(own, isRouted)),
    selective_risk: rateOf(trials(own.filter(isRouted), (row) => !row.correct)),
    target_risk: targets[tier],
    threshold: thresholds[tier],
    margin_threshold: thresholds[tier] === null ? null : 0.05,
  };
}

const unbanded = (measured: Measured): Estimate => ({ ...measured, clusters: 36, band: null });

/** The areas, errors and risks of the rows; nothing that needs a resample, a slice or an attribution. */
function detailOf(all: readonly Row[]): EvaluationDetail {
  const confidences = all.map((row) => row.confidence);
  const stated = scoreTable(
    confidences,
    all.map((row) => row.correct),
  );
  const scope = scoreTable(
    confidences,
    all.map((row) => row.inScope),
  );
  const inScope = all.filter((row) => row.inScope);
  const routed = all.filter(isRouted);
  const right = rateOf(trials(inScope, (row) => row.correct));
  const undefinedValue = { value: null, n: 0, null_reason: "EMPTY_DENOMINATOR" } as const;
  const mean_reciprocal_rank = unbanded(
    right.estimate === null
      ? undefinedValue
      : { value: Math.min(1, right.estimate + 0.03), n: right.n, null_reason: null },
  );
  return {
    resamples: 0,
    seed: 1,
    risk: {
      joint_risk: rateOf(trials(all, (row) => isRouted(row) && !row.correct)),
      out_of_scope_of_routed: rateOf(trials(routed, (row) => !row.inScope)),
      wrong_workflow_of_routed: rateOf(trials(routed, (row) => row.inScope && !row.correct)),
      in_scope_wrong: rateOf(trials(inScope, (row) => isRouted(row) && !row.correct)),
    },
    curve: {
      aurc: unbanded(aurc(stated)),
      augrc: unbanded(augrc(stated)),
    },
    calibration: {
      equal_width_error: unbanded(expectedCalibrationError(stated)),
      brier: unbanded(brierScore(stated)),
      log_loss: unbanded(logLoss(stated)),
    },
    out_of_scope: {
      auroc: unbanded(auroc(scope)),
      false_positive_at_95: unbanded(falsePositiveRateAt(scope, 0.95)),
      apart: [],
    },
    retrieval: { depths: [], mean_reciprocal_rank },
    clarification: { precision: rateOf([]), recall: rateOf([]), missing_input_recall: rateOf([]) },
    attribution: null,
    slices: [],
  };
}

/** An evaluation of `requests` simulated requests on fold EVAL; 0 gives an empty one. Every number is consistent. */
export function anEvaluation(requests = 1800, overrides: Partial<Evaluation> = {}): Evaluation {
  const all = rows(requests);
  const inScope = all.filter((row) => row.inScope);
  const outside = all.filter((row) => !row.inScope);
  const routed = all.filter(isRouted);
  const confidences = all.map((row) => row.confidence);
  const correctness = all.map((row) => row.correct);
  const stated = scoreTable(confidences, correctness);
  const right = rateOf(trials(inScope, (row) => row.correct));
  return {
    schema_version: 1,
    run_sha256: digest("a") as Sha256,
    calibration_sha256: digest("c") as Sha256,
    fold: "eval",
    cluster: "workflow",
    requests: all.length,
    in_scope: inScope.length,
    out_of_scope: outside.length,
    scoring_errors: 0,
    workflows: new Set(inScope.map((row) => row.cluster)).size,
    retrieval: {
      top1: right,
      recall_at_5: rateOf(trials(inScope, (row) => row.correct || row.confidence > 0.4)),
      recall_at_k: rateOf(trials(inScope, (row) => row.correct || row.confidence > 0.2)),
    },
    verified_top1: right,
    decisions: { ROUTE: routed.length, CLARIFY: 0, LLM_REQUIRED: all.length - routed.length },
    reasons: [
      { reason_code: "BELOW_RISK_THRESHOLD", count: all.length - routed.length },
      ...riskTiers.map((tier) => ({
        reason_code: `ACCEPTED_${tier.toUpperCase()}_RISK`,
        count: routed.filter((row) => row.tier === tier).length,
      })),
    ].filter((reason) => reason.count > 0),
    coverage: rateOf(trials(all, isRouted)),
    in_scope_coverage: rateOf(trials(inScope, isRouted)),
    selective_risk: rateOf(trials(routed, (row) => !row.correct)),
    out_of_scope_routed: rateOf(trials(outside, isRouted)),
    tiers: riskTiers.map((tier) => tierEvaluation(all, tier)),
    risk_coverage: riskCoverageCurve(stated),
    reliability: reliabilityBins(stated),
    detail: detailOf(all),
    ...overrides,
  };
}

function tierCalibration(tier: RiskTier): TierCalibration {
  const confidence = thresholds[tier];
  if (confidence === null) return aTier(null, null, { target_risk: targets[tier], certify_requests: 520 });
  return aTier(confidence, 0.05, {
    target_risk: targets[tier],
    certify_requests: 520,
    routed: 240,
    errors: 3,
    workflows: 18,
    design_effect: 1.2,
    curve: [{ confidence, routed: 240 }],
  });
}

/** The claim of one tier: certified where it has a threshold. */
function tierClaim(tier: RiskTier): Claim {
  const confidence = thresholds[tier];
  const own = { scope: tier, tiers: [tier], target_risk: targets[tier], delta: 0.0125, requests: 520 };
  if (confidence === null) {
    return aClaim({
      ...own,
      certified: false,
      reason: "TOO_FEW_ROUTED",
      upper_bound: null,
      start_errors: null,
      promise: `No text is routed in tier ${tier}`,
      basis: "217 independent routed requests are needed, 97 are missing.",
    });
  }
  const shipped = { routed: 240, errors: 3, workflows: 18, effective_routed: 200, upper_bound: 0.0489 };
  const step = { ...shipped, design_effect: 1.2 };
  const trace = [
    { ...step, confidence, p_value: 0.0117, passed: true },
    { ...step, confidence: confidence - 0.25, errors: 31, p_value: 0.4, upper_bound: 0.19, passed: false },
  ];
  const promise = `When Sluice routes a request in tier ${tier}, at most ${targets[tier]} of routes go to the wrong workflow.`;
  return aClaim({ ...own, ...shipped, promise, trace });
}

/** The calibration that `anEvaluation()` used: three tiers route, tier critical abstains. */
export function aCalibration(overrides: Partial<Calibration> = {}): Calibration {
  return aFullCalibration({
    calibration_version: "cal-1",
    calibrator: { family: "platt", slope: 0.83, intercept: 0, fitted_requests: 900, fitted_errors: 122 },
    tiers: {
      low: tierCalibration("low"),
      medium: tierCalibration("medium"),
      high: tierCalibration("high"),
      critical: tierCalibration("critical"),
    },
    clarify_threshold: 0.7,
    min_retrieval_score: 0.12,
    joint_delta: 0.05,
    claims: riskTiers.map(tierClaim),
    population: "Requests to the service desk, one sixth of them out of scope",
    out_of_scope_share: 1 / 6,
    digests: { catalog: digest("b"), dataset: digest("d"), split: digest("5"), run: digest("a") },
    ...overrides,
  });
}

/** Four workflows, one of each tier. */
export const aCatalogOfNames: CatalogNames = {
  catalog_version: "desk-1",
  workflows: riskTiers.map((riskTier) => ({
    workflow_id: `desk.${riskTier}_work` as WorkflowId,
    name: `Do ${riskTier} work`,
    risk_tier: riskTier,
    status: "active" as const,
  })),
};

/** A complete report input; override any part. */
export function aReportInput(overrides: Partial<ReportInput> = {}): ReportInput {
  return {
    evaluation: anEvaluation(),
    calibration: aCalibration(),
    catalog: aCatalogOfNames,
    lineage: aLineage,
    generatedFor: "Release desk-1 for its approvers",
    ...overrides,
  };
}
