import type { FitOptions, TestStep } from "../src/documents/calibration.js";
import { type ClaimKind, type RiskTier, riskTiers } from "../src/documents/choices.js";
import { minimumSampleSize } from "./stats/binomial-test.js";
import { shownThresholdStep, signedTarget, type TestedClaim } from "./certify-claims.js";
import type { Choice } from "./choose-threshold-steps.js";
import {
  counted,
  formatCount,
  formatCountUp,
  formatFixedPercentUp,
  formatPercent,
  formatPercentDown,
  formatTenthsPercent,
} from "../src/documents/number-text.js";
import { smallestTarget, targetOf } from "./fixed-sequence-test.js";

/** " in tier low" or " in tiers low and high"; empty for all tiers. */
function inTiers(tiers: readonly RiskTier[]): string {
  const [only, second] = tiers;
  if (only === undefined || tiers.length === riskTiers.length) return "";
  if (second === undefined) return ` in tier ${only}`;
  return ` in tiers ${tiers.slice(0, -1).join(", ")} and ${tiers.at(-1)}`;
}

const wrongOf = ({ errors, routed }: Pick<TestStep, "errors" | "routed">): string =>
  `${formatCount(errors)} wrong of ${formatCount(routed)} routed (${formatTenthsPercent(errors / Math.max(1, routed))})`;

interface Shipped {
  readonly claim: TestedClaim;
  readonly thresholdStep: TestStep;
  readonly declaredShare: number | null;
  /** Number of workflows of the tested requests under the claim "fixed-catalog". */
  readonly certifiedWorkflows: number;
  readonly leftOut: boolean;
  readonly attempt: number | null;
}

/** The confidence over all calibration attempts on the same labels, and the number of this attempt. */
export function confidenceText(
  { delta, requests }: { readonly delta: number; readonly requests: number },
  attempt: number | null,
): string {
  const stated = statedConfidence(delta, attempt);
  if (attempt === null || attempt === 1) return stated;
  return `${stated} over all calibrations on these labels; this is the ${ordinal(attempt)}, on ${counted(requests, "request")}`;
}

/** The confidence over all attempts, of which this one is tested at `delta`. */
function statedConfidence(delta: number, attempt: number | null): string {
  const joint = attempt === null ? delta : (delta * (Math.PI * attempt) ** 2) / 6;
  return `${formatPercentDown(Number((1 - joint).toPrecision(12)))} confidence`;
}

function ordinal(n: number): string {
  const suffix = n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${formatCount(n)}${suffix}`;
}

function forDeclaredMix(declaredShare: number | null): string {
  return declaredShare === null ? "" : ` if ${formatPercent(declaredShare)} of requests are out of scope`;
}

function newWorkflowsSentence({ claim, thresholdStep, declaredShare, attempt }: Shipped): string {
  const { tiers } = claim;
  return (
    `When Sluice routes a request${inTiers(tiers)}, at most ${formatPercent(signedTarget(claim))} of routes go to the wrong ` +
    `workflow${forDeclaredMix(declaredShare)} (${confidenceText({ ...claim.test, requests: claim.requests }, attempt)}). Measured on ` +
    `${counted(thresholdStep.workflows, "workflow")} and out-of-scope groups it had never seen: ${wrongOf(thresholdStep)}. Requests to the same ` +
    `workflow are alike, so these count as ${formatCount(thresholdStep.effective_routed)} independent ones.`
  );
}

function fixedCatalogSentence({
  claim,
  thresholdStep,
  declaredShare,
  certifiedWorkflows,
  leftOut,
  attempt,
}: Shipped): string {
  const { tiers } = claim;
  return (
    `When Sluice routes a request with this catalog${inTiers(tiers)}, at most ${formatPercent(signedTarget(claim))} of routes go to ` +
    `the wrong workflow${forDeclaredMix(declaredShare)} (${confidenceText({ ...claim.test, requests: claim.requests }, attempt)}). Measured ` +
    `${leftOut ? "by leave-one-out on labelled requests" : "on new requests"} to ${counted(certifiedWorkflows, "workflow")} ` +
    `of the catalog: ${wrongOf(thresholdStep)}. No text is routed to any other workflow.`
  );
}

function jointRiskSentence({ claim, thresholdStep }: Shipped): string {
  return (
    `On average over calibrations like this one, at most ${formatPercent(claim.test.target)} of all requests are routed to ` +
    `the wrong workflow, with equal weight for every workflow. Measured on ${counted(claim.path[0]?.planned ?? 0, "workflow")} and ` +
    `out-of-scope groups it had never seen: ${wrongOf(thresholdStep)}.`
  );
}

const sentences: Readonly<Record<ClaimKind, (shipped: Shipped) => string>> = {
  "new-workflows": newWorkflowsSentence,
  "fixed-catalog": fixedCatalogSentence,
  "expected-joint-risk": jointRiskSentence,
};

/** States how many workflows a target needs, and the strictest target that the present workflows can support. */
function tooFewWorkflows({ path, test }: TestedClaim, asked: string, kind: ClaimKind): string {
  const onAverage = kind === "expected-joint-risk";
  const needed = onAverage
    ? Math.ceil(1 / test.target - 1)
    : Math.ceil(Math.log(test.delta) / Math.log(1 - test.target));
  const workflows = path.reduce((most, thresholdStep) => Math.max(most, thresholdStep.inScopeWorkflows), 0);
  const have = onAverage ? (path[0]?.planned ?? 0) : workflows;
  const smallest = onAverage ? 1 / (have + 1) : smallestTarget(have, test.delta);
  const what = onAverage ? "workflows or out-of-scope groups" : "workflows";
  return (
    `${asked} needs ${formatCount(needed)} ${what} with a routed request, and there are ` +
    `${formatCount(have)}, which can support ${formatFixedPercentUp(smallest)} at best.`
  );
}

/** States what a claim that is not certified would need. */
function notCertified({ claim, reason }: Choice, { claim: kind, start_errors, attempt }: FitOptions): string {
  const { tiers, test, path, tested } = claim;
  const where = tiers.length === riskTiers.length ? "No text is routed" : `No text is routed${inTiers(tiers)}`;
  const asked = `a target of ${formatPercent(test.target)} at ${statedConfidence(test.delta, attempt)}`;
  if (reason === "RISK_RISES_WITH_SCORE") {
    return (
      `${where}: routes to workflows with higher scores are wrong more often than those scores imply, so tests on them say too ` +
      "little about new workflows. Make a claim about this catalog (--claim fixed-catalog), or use a verifier that is " +
      "calibrated across workflows."
    );
  }
  if (reason === "NO_ACCEPTED_ROWS") return `${where}: no tested request could be routed.`;
  if (reason === "RAISED_POINT_NOT_CERTIFIED") {
    return `${where}: thresholds were certified, but none is compatible with those of the other tiers.`;
  }
  if (reason === "TOO_FEW_WORKFLOWS") return `${where}: ${tooFewWorkflows(claim, asked, kind)}`;
  const first = tested.trace[0];
  if (reason === "RISK_NOT_CERTIFIED" && first !== undefined) {
    return (
      `${where}: the first tested threshold gives ${wrongOf(first)}, with an upper limit of ${formatFixedPercentUp(first.upper_bound)}; ` +
      `expected at most ${formatPercent(targetOf(first, test))}.`
    );
  }
  const fewest = Math.min(...start_errors);
  const most = path.reduce((found, thresholdStep) => Math.max(found, thresholdStep.planned), 0);
  return (
    `${where}: ${asked} needs ${counted(minimumSampleSize(test.target, test.delta, fewest), "independent routed request")} ` +
    `with at most ${counted(fewest, "error")}. The ${formatCount(shownThresholdStep(claim, null).routed)} that could be routed count as ` +
    `at most ${formatCountUp(most)} independent ones.`
  );
}

/**
 * The sentence that is printed and signed for a claim, certified or not.
 * @param certifiedWorkflows  number of workflows with tested requests
 */
export function claimSentence(choice: Choice, fit: FitOptions, certifiedWorkflows: number): string {
  if (choice.thresholdStep === null) return notCertified(choice, fit);
  const { claim, thresholdStep } = choice;
  const { out_of_scope_share: declaredShare, left_out, attempt } = fit;
  return sentences[fit.claim]({ claim, thresholdStep, declaredShare, certifiedWorkflows, leftOut: left_out, attempt });
}
