import { languageList } from "../src/base/language.js";
import {
  type Claim,
  type DrawnRoutes,
  type FitOptions,
  languageOfScope,
  type TestStep,
} from "../src/documents/calibration.js";
import { type ClaimKind, type RiskTier, riskTiers } from "../src/documents/choices.js";
import { minimumSampleSize } from "./stats/binomial-test.js";
import type { RiskTest } from "./claim-reading.js";
import { shareOfAttempt } from "./procedure.js";
import { signedTarget, type TestedClaim } from "./certify-claims.js";
import type { Choice } from "./choose-threshold-steps.js";
import {
  counted,
  formatCount,
  formatCountUp,
  formatFixedPercentUp,
  formatPercent,
  formatPercentDown,
  formatTenthsPercent,
  formatTenthsPercentDown,
} from "../src/documents/number-text.js";
import { smallestTarget, targetOf, type ThresholdStep } from "./fixed-sequence-test.js";

/** The tested requests and workflows behind the sentence of a claim. */
export interface ClaimBasis {
  /** Number of workflows with tested requests. */
  readonly workflows: number;
  /** Tiers with a workflow among the candidates. A sentence names no other tier. */
  readonly tiers: readonly RiskTier[];
  /** Languages that routes may be in; empty if every text passes. */
  readonly languages: readonly string[];
  /** Share of out-of-scope requests in the traffic that the claim is about. */
  readonly outOfScopeShare: number;
  /** Whether callers of tested requests may use certain workflows only. */
  readonly narrowed: boolean;
}

/** " in tier low" or " in tiers low and high"; empty for all tiers. Names only tiers that have workflows, if any has. */
function inTiers(tiers: readonly RiskTier[], { tiers: used }: ClaimBasis): string {
  if (tiers.length === riskTiers.length) return "";
  const withWorkflows = tiers.filter((tier) => used.includes(tier));
  const named = withWorkflows.length === 0 ? tiers : withWorkflows;
  if (named.length < 2) return ` in tier ${named.join("")}`;
  return ` in tiers ${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}

/** " in English", or " in English or German"; empty if every language passes. */
const inLanguages = ({ languages }: ClaimBasis): string =>
  languages.length === 0 ? "" : ` in ${languageList(languages, "disjunction")}`;

export const wrongOf = ({ errors, routed }: Pick<TestStep, "errors" | "routed">): string =>
  `${formatCount(errors)} wrong of ${formatCount(routed)} routed (${formatTenthsPercent(errors / Math.max(1, routed))})`;

type Statement = Pick<Claim, "promise" | "basis">;

interface Shipped {
  readonly claim: TestedClaim;
  readonly thresholdStep: TestStep;
  readonly basis: ClaimBasis;
  readonly leftOut: boolean;
  readonly attempt: number | null;
}

/** The confidence over all calibration attempts on the same labels, and the number of this attempt. */
export function confidenceText(delta: number, attempt: number | null): string {
  const joint = attempt === null ? delta : delta / shareOfAttempt(attempt);
  const level = levelText(joint);
  if (attempt === null || attempt === 1) return `${level} confidence`;
  const all = attempt === 2 ? "both" : `all ${formatCount(attempt)}`;
  return `${level} confidence; this is the ${ordinal(attempt)} calibration on these labels, and the ${level} covers ${all} together`;
}

/** The confidence of a test at `delta`, and that of all tests on these labels if it is lower. */
function testConfidence(delta: number, { delta: joint }: FitOptions): string {
  const own = `${levelText(delta)} confidence`;
  if (delta >= joint) return own;
  return `${own} in this test (so that all tests on these labels together have ${levelText(joint)})`;
}

const levelText = (delta: number): string => formatPercentDown(Number((1 - delta).toPrecision(12)));

function ordinal(n: number): string {
  const suffix = n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${formatCount(n)}${suffix}`;
}

/** The traffic that a claim is about. More out-of-scope requests mean more wrong routes, so it holds for fewer. */
export function trafficOfClaim({
  outOfScopeShare,
  narrowed,
}: Pick<ClaimBasis, "outOfScopeShare" | "narrowed">): string {
  const callers = narrowed ? " and callers' lists are those of the tested requests" : "";
  if (outOfScopeShare === 0) return `for traffic in which every request fits a workflow${callers}`;
  return `for traffic in which at most ${formatTenthsPercentDown(outOfScopeShare)} fits no workflow${callers}`;
}

/** The effective number of routed requests, if near-copies and groups make it smaller. */
export function countedAs({ routed, effective_routed: effective }: TestStep): string {
  const independent = formatCount(effective);
  return independent === formatCount(routed) ? "" : `, which count as ${independent} independent requests`;
}

function newWorkflowsStatement({ claim, thresholdStep, basis, attempt }: Shipped): Statement {
  const { tiers, test } = claim;
  return {
    promise:
      `When Sluice routes a request${inLanguages(basis)}${inTiers(tiers, basis)}, at most ${formatPercent(signedTarget(claim))} of routes go to the wrong ` +
      `workflow, ${trafficOfClaim(basis)} (${confidenceText(test.delta, attempt)}).`,
    basis:
      `Measured on ${counted(thresholdStep.workflows, "workflow")} and out-of-scope groups it had never seen: ${wrongOf(thresholdStep)}. Requests for the same ` +
      `workflow resemble each other, so these count as ${formatCount(thresholdStep.effective_routed)} independent requests.`,
  };
}

function fixedCatalogStatement({ claim, thresholdStep, basis, leftOut, attempt }: Shipped): Statement {
  const { tiers, test } = claim;
  const workflows = counted(basis.workflows, "workflow");
  const measured = leftOut
    ? `labelled requests for ${workflows}, each tested with its near-copies left out of the examples`
    : `new requests for ${workflows} of the catalog`;
  const others =
    languageOfScope(claim.scope) === null
      ? "any other workflow"
      : "a workflow without a tested request in some language";
  return {
    promise:
      `When Sluice routes a request${inLanguages(basis)} with this catalog${inTiers(tiers, basis)}, at most ${formatPercent(signedTarget(claim))} of routes go to ` +
      `the wrong workflow, ${trafficOfClaim(basis)} (${confidenceText(test.delta, attempt)}).`,
    basis: `Measured on ${measured}: ${wrongOf(thresholdStep)}${countedAs(thresholdStep)}. No text is routed to ${others}.`,
  };
}

/** The claim about routes that people judged. */
function drawnRoutesStatement({ claim, thresholdStep, basis, attempt }: Shipped, drawn: DrawnRoutes): Statement {
  const { second_opinions: second, disagreements, people } = drawn;
  const opinions =
    second === 0
      ? "Nobody gave a second opinion"
      : `Second opinions differ in ${formatCount(disagreements)} of ${formatCount(second)}`;
  return {
    promise:
      `When Sluice routes a request${inLanguages(basis)} like those of the log, at most ${formatPercent(signedTarget(claim))} of routes go to the wrong workflow ` +
      `(${confidenceText(claim.test.delta, attempt)}).`,
    basis:
      "Measured on routes drawn at random from the log and judged by " +
      `${counted(people, "person", "people")}: ${wrongOf(thresholdStep)}. ${opinions}.`,
  };
}

const statements: Readonly<Record<ClaimKind, (shipped: Shipped) => Statement>> = {
  "new-workflows": newWorkflowsStatement,
  "fixed-catalog": fixedCatalogStatement,
};

/** States how many workflows a target needs, and the strictest target that the present workflows can support. */
function tooFewWorkflows({ path, test }: TestedClaim, asked: string): string {
  const needed = Math.ceil(Math.log(test.delta) / Math.log(1 - test.target));
  const have = path.reduce((most, thresholdStep) => Math.max(most, thresholdStep.inScopeWorkflows), 0);
  return (
    `${asked} needs ${formatCount(needed)} workflows with a routed request, and there are ` +
    `${formatCount(have)}, which can support ${formatFixedPercentUp(smallestTarget(have, test.delta))} at best.`
  );
}

/** States what a claim that is not certified would need. */
function notCertified({ claim, reason }: Choice, fit: FitOptions): string {
  const { test, tested } = claim;
  const asked = `a target of ${formatPercent(test.target)} at ${testConfidence(test.delta, fit)}`;
  if (reason === "RISK_RISES_WITH_SCORE") {
    return (
      "routes to workflows with higher scores are wrong more often than those scores imply, so tests on them say too " +
      "little about new workflows. Make a claim about this catalog (--claim fixed-catalog), or use a verifier that is " +
      "calibrated across workflows."
    );
  }
  if (reason === "NO_ACCEPTED_ROWS") return "no tested request could be routed.";
  if (reason === "RAISED_POINT_NOT_CERTIFIED") {
    return "thresholds were certified, but none is compatible with those of the other tiers.";
  }
  if (reason === "TOO_FEW_WORKFLOWS") return tooFewWorkflows(claim, asked);
  const first = tested.trace[0];
  if (reason === "RISK_NOT_CERTIFIED" && first !== undefined) return `${failedStepText(first, test)}.`;
  return `${tooFewRequestsText(claim.path, test, fit)}.`;
}

/** How many routed requests a test needs, and how many there are. */
export function tooFewRequestsText(path: readonly ThresholdStep[], test: RiskTest, fit: FitOptions): string {
  const fewest = Math.min(...fit.start_errors);
  const needed = counted(minimumSampleSize(test.target, test.delta, fewest), "independent routed request");
  const allowed = fewest === 0 ? ", all of them right" : ` with at most ${counted(fewest, "error")}`;
  const asked = `a target of ${formatPercent(test.target)} at ${testConfidence(test.delta, fit)}`;
  return `${asked} needs ${needed}${allowed}. ${routableText(path)}`;
}

/** What the first tested threshold shows if it fails. */
export const failedStepText = (first: TestStep, test: RiskTest): string =>
  `the first tested threshold gives ${wrongOf(first)}, with an upper limit of ${formatFixedPercentUp(first.upper_bound)}; ` +
  `expected at most ${formatPercent(targetOf(first, test))}`;

/** How many requests could be routed, and how many independent ones these are worth if that is fewer. */
function routableText(path: readonly ThresholdStep[]): string {
  const routed = path.at(-1)?.routed ?? 0;
  const most = path.reduce((found, { planned }) => Math.max(found, planned), 0);
  if (formatCountUp(most) === formatCount(routed)) return `Only ${formatCount(routed)} can be routed`;
  return `The ${formatCount(routed)} that can be routed count as at most ${formatCountUp(most)} independent requests`;
}

/** What is printed and signed for a claim, certified or not. */
export function claimStatement(choice: Choice, fit: FitOptions, basis: ClaimBasis): Statement {
  const { claim, thresholdStep } = choice;
  if (thresholdStep === null) {
    const languages = languageOfScope(claim.scope) === null ? "" : inLanguages(basis);
    return {
      promise: `No text is routed${languages}${inTiers(claim.tiers, basis)}`,
      basis: notCertified(choice, fit),
    };
  }
  const { left_out: leftOut, attempt, drawn_routes: drawn } = fit;
  const shipped = { claim, thresholdStep, basis, leftOut, attempt };
  return drawn === undefined ? statements[fit.claim](shipped) : drawnRoutesStatement(shipped, drawn);
}
