import { type Calibration, type Claim, type TestStep, scopeName, statementOf } from "../src/documents/calibration.js";
import { claimConditions } from "../src/documents/claim-conditions.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { formatCount, formatPercent, formatPValue, formatRate, formatUpper } from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";
import { claimOutcome } from "./claim-outcome.js";
import { plannedTarget } from "./headline.js";
import { certifiedClaims, isAsTested, judgeClaim } from "./judge-release.js";
import { measureLabels } from "./measure-labels.js";
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
    formatRate({ k: step.errors, n: step.routed, lower: null, upper: step.routed === 0 ? null : step.upper_bound }),
    formatCount(step.workflows),
    formatCount(step.effective_routed),
    formatPValue(step.p_value),
    step.passed ? "pass" : "fail",
  ];
}

function certificationTable(claim: Claim, calibration: Calibration): ReportTable {
  const { scope, delta, trace } = claim;
  const limit = `one-sided ${formatPercent(1 - delta, 2)} limit`;
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

/** What a claim promises and on what basis; all that it states, without a basis, if it promises nothing. */
export function promiseOf(claim: Claim | undefined): Pick<Claim, "promise" | "basis"> {
  if (claim === undefined) return { promise: "Nothing is promised.", basis: "" };
  const { promise, basis } = claim;
  return claim.certified ? { promise, basis } : { promise: statementOf(claim), basis: "" };
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
      sentence: statementOf(claim),
      promise: promiseOf(claim).promise,
      conditions: claim.certified ? conditionsTable(claim, calibration) : null,
      // The test's own count is in its steps.
      rates: isAsTested(evaluation, calibration)
        ? []
        : [rateLine(measureLabels.selective_risk, "lower is better", wrong, "Wrong routes, as a share of all routes.")],
      certification: certificationTable(claim, calibration),
    };
  });
}

/** A claim as signed, and its result on the evaluated fold. */
export type ClaimView = ReturnType<typeof claimViews>[number];
