import { buildCalibrationPage, type CalibrationPageInput } from "../../../reports/calibration/calibration-page.js";
import { buildComparisonPage, type ComparisonPageInput } from "../../../reports/comparison/comparison-page.js";
import type { DecidedSide, PairedMeasure } from "../../../src/documents/comparison.js";
import type { Claim } from "../../../src/documents/calibration.js";
import type { Evaluation } from "../../../src/documents/evaluation.js";
import { rateOf } from "../../support/rate-of.js";
import { aClaim } from "../../support/builders.js";
import { aCalibration, anEvaluation } from "../an-evaluation.js";

/** Nineteen thresholds that pass and one that fails; the last passed one ships. */
export function aSweptClaim(): Claim {
  const trace = Array.from({ length: 20 }, (_, index) => {
    const passed = index < 19;
    const routed = 100 + 20 * index;
    const upperBound = passed ? 0.03 + 0.003 * index : 0.12;
    return {
      confidence: Number((0.98 - 0.01 * index).toFixed(2)),
      routed,
      errors: index,
      workflows: 40 + index,
      design_effect: 1.5,
      effective_routed: routed / 1.5,
      p_value: passed ? 0.01 : 0.2,
      upper_bound: upperBound,
      passed,
    };
  });
  const promise = "When Sluice routes a request, at most 10% of routes go to the wrong workflow (95% confidence).";
  const basis = "Measured on 58 workflows it had never seen: 18 wrong of 460 routed (3.9%).";
  const shipped = { routed: 460, errors: 18, workflows: 58, effective_routed: 306.6, upper_bound: 0.084 };
  return aClaim({ target_risk: 0.1, requests: 900, trace, promise, basis, ...shipped });
}

const confidenceOf = () => {
  const { reliability, detail } = anEvaluation(400);
  return { bins: reliability, error: detail.calibration.equal_width_error };
};

/** A complete input of a calibration page; override any part. */
export function aCalibrationPage(overrides: Partial<CalibrationPageInput> = {}) {
  const calibration = aCalibration({
    claims: [aSweptClaim()],
    rising_risk: { statistic: 0.4, power: 0.92 },
    warnings: ["One warning."],
  });
  return buildCalibrationPage({
    calibrationSha256: "c".repeat(64),
    calibration,
    reliability: { fold: "eval", before: confidenceOf(), after: confidenceOf() },
    plan: ["new workflows", "this catalog"].flatMap((claim) =>
      [0.02, 0.05, 0.1, 0.15, 0.2, 0.3].map((target) => ({
        claim,
        target,
        probability: Math.min(1, 5 * target),
        coverage: target < 0.05 ? null : target * 2,
        missing: target < 0.16 ? "about 40 more workflows" : "",
      })),
    ),
    ...overrides,
  });
}

const trials = (wrong: number, of: number) =>
  rateOf(Array.from({ length: of }, (_, index) => ({ cluster: `w${index % 12}`, event: index < wrong })));

function aMeasure(
  name: PairedMeasure["name"],
  [a, b]: readonly [number, number],
  verdict: PairedMeasure["verdict"],
): PairedMeasure {
  const value = (b - a) / 200;
  return {
    name,
    a: trials(a, 200),
    b: trials(b, 200),
    difference: { value, n: 200, null_reason: null },
    band: {
      method: "cluster-bootstrap",
      confidence: 0.95,
      lower: value - 0.04,
      upper: value + 0.04,
      resamples: 2000,
      dropped: 0,
    },
    sign_flip: { p_value: 0.012, method: "exact", workflows: 12 },
    verdict,
  };
}

function aDetailedEvaluation(wrong: number): Evaluation {
  const slices = ["tier: low", "tier: high", "voice: indirect", "domain: customer_accounts_and_their_owners"].map(
    (name) => {
      const [dimension = "", value = ""] = name.split(": ");
      return { dimension, value, requests: 50, coverage: trials(30 - wrong, 50), selective_risk: trials(wrong, 30) };
    },
  );
  const evaluation = anEvaluation(400);
  const detailed = slices.map((slice) => ({ ...slice, verified_top1: trials(40, 50) }));
  return { ...evaluation, detail: { ...evaluation.detail, slices: detailed } } as unknown as Evaluation;
}

const answer = (ending: DecidedSide["ending"], workflowId: string | null): DecidedSide => ({
  risk_tier: null,
  ending,
  workflow_id: workflowId,
  reason_code: "BELOW_RISK_THRESHOLD",
  confidence: 0.8123,
});

/** A complete input of a comparison page: B routes more, and more of it wrong. */
export function aComparisonPage(overrides: Partial<ComparisonPageInput> = {}) {
  const routed = "customer_accounts.customer_accounts_export_of_everything";
  const flips = [
    ...[1, 2, 3].map((index) => ({
      id: `line-${index}`,
      workflow_id: null,
      effect: "worse" as const,
      a: answer("declined", null),
      b: answer("routed_wrong", routed),
    })),
    ...[4, 5, 6, 7].map((index) => ({
      id: `line-${index}`,
      workflow_id: routed,
      effect: "better" as const,
      a: answer("declined", null),
      b: answer("routed_right", routed),
    })),
  ];
  return buildComparisonPage({
    a: {
      runSha256: "a".repeat(64),
      note: "six labels corrected",
      calibrationSha256: "c".repeat(64),
      calibration: aCalibration(),
      evaluation: aDetailedEvaluation(2),
    },
    b: {
      runSha256: "b".repeat(64),
      note: null,
      calibrationSha256: null,
      calibration: null,
      evaluation: aDetailedEvaluation(5),
    },
    decisions: {
      requests: 200,
      workflows: 12,
      only_in_a: 0,
      only_in_b: 0,
      not_scored: 1,
      endings: [],
      total: { requests: 200, flips: 7, better: 4, worse: 3 },
      by_tier: [],
      by_workflow: [
        { workflow_id: routed, requests: 12, flips: 4, better: 4, worse: 0 },
        { workflow_id: null, requests: 40, flips: 3, better: 0, worse: 3 },
      ],
      measures: [
        aMeasure("coverage", [60, 80], "b_better"),
        aMeasure("selective_risk", [4, 14], "a_better"),
        aMeasure("out_of_scope_routed", [4, 5], "tied"),
      ],
      flips,
    },
    fold: "eval",
    warnings: ["1 request is not in both runs and is excluded."],
    ...overrides,
  });
}
