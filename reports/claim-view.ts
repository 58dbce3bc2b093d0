import { type Calibration, type Claim, type TestStep, scopeName } from "../src/documents/calibration.js";
import { claimConditions } from "../src/documents/claim-conditions.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import {
  formatCount,
  formatEffective,
  formatPercent,
  formatProportionOf,
  formatPValue,
  formatUpper,
  noData,
} from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";
import { claimOutcome } from "./claim-outcome.js";
import { plannedTarget } from "./headline.js";
import { certifiedClaims, judgeClaim } from "./judge-release.js";
import { rateLine } from "./rate-line.js";

/** The target that a step tests: its own, otherwise the planned target. */
export const targetOfStep = (
  { target_risk }: Pick<TestStep, "target_risk">,
  claim: Pick<Claim, "scope" | "target_risk">,
  calibration: Pick<Calibration, "fit">,
): number => target_risk ?? plannedTarget(claim, calibration);

function stepRow(step: TestStep, target: number): readonly string[] {
  return [
    formatPercent(target, 2),
    String(step.confidence),
    step.routed === 0 ? `0/0: ${noData}` : formatProportionOf(step.errors, step.routed, [0, step.upper_bound]),
    formatCount(step.workflows),
    formatEffective(step.effective_routed),
    formatPValue(step.p_value),
    step.passed ? "pass" : "fail",
  ];
}

function certificationTable(claim: Claim, calibration: Calibration): ReportTable {
  const { scope, delta, trace } = claim;
  const limit = `one-sided ${formatPercent(1 - delta)} limit`;
  return reportTable(
    `${claimTitle(scope)}: steps of the certification test, in the order of the test`,
    [
      num("Target"),
      num("Confidence at least"),
      num(`Wrong / routed, ${limit}`),
      num("Workflows"),
      num("Counts as independent"),
      num(`p (passes at ${formatUpper(delta)})`),
      "Step",
    ],
    trace.map((step) => stepRow(step, targetOfStep(step, claim, calibration))),
  );
}

/** The first sentence of a claim, which is its promise. */
export function promiseOf(sentence: string): string {
  const end = sentence.search(/\. (?=[A-Z0-9])/);
  return end < 0 ? sentence : sentence.slice(0, end + 1);
}

/** The name of a scope at the beginning of a title. */
export const claimTitle = (scope: Claim["scope"]): string =>
  scopeName(scope).replace(/^[a-z]/u, (first) => first.toUpperCase());

export function conditionsTable(claim: Claim, calibration: Calibration): ReportTable {
  return reportTable(
    `${claimTitle(claim.scope)}: conditions and evidence of the claim`,
    ["Condition", "Value"],
    claimConditions(claim, calibration),
  );
}

/** One view per claim of a calibration, in calibration order. */
export function claimViews(evaluation: Evaluation, calibration: Calibration | null) {
  if (calibration === null) return [];
  return calibration.claims.map((claim) => {
    const { wrong } = claimOutcome(claim, evaluation);
    return {
      title: claimTitle(claim.scope),
      ...judgeClaim(claim, evaluation, certifiedClaims(calibration)),
      sentence: claim.sentence,
      promise: promiseOf(claim.sentence),
      conditions: claim.certified ? conditionsTable(claim, calibration) : null,
      rates: [rateLine("Selective risk", "lower is better", wrong, "Wrong routes, as a share of all routes.")],
      certification: certificationTable(claim, calibration),
    };
  });
}

/** A claim as signed, and its result on the evaluated fold. */
export type ClaimView = ReturnType<typeof claimViews>[number];
