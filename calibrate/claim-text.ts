import type { ClaimKind, TestStep } from "../src/domain/calibration.js";
import type { RiskTier } from "../src/domain/catalog.js";
import { count, factorUp, percent, percentDown, probability } from "./number-text.js";
import type { RiskTest } from "./point-evidence.js";

/** The line before the claims of several tiers. */
export function jointClaim(claim: ClaimKind, tests: readonly RiskTest[], jointDelta: number): string {
  const together = `${tests.length} ${tests.length === 1 ? "tier" : "tiers"} together`;
  if (claim === "expected-joint-risk") {
    return `The statements below hold on average over calibrations, for each of the ${together} on its own.`;
  }
  const shares = [...new Set(tests.map((test) => probability(test.delta)))].join(", ");
  return (
    `The statements below hold for all ${together} with probability at least ${percentDown(1 - jointDelta)}; ` +
    `each tier was tested at ${shares}.`
  );
}

/** What a claim says beside the numbers of its point. */
export interface ClaimContext {
  readonly claim: ClaimKind;
  readonly icc: number;
  /** Share of CERTIFY requests that are out of scope. */
  readonly outOfScopeShare: number;
  /** The declared share that the certificate is weighted to; null when it holds for the mix of CERTIFY. */
  readonly declaredShare: number | null;
}

interface Shown {
  readonly tier: RiskTier;
  readonly test: RiskTest;
  readonly point: TestStep;
  readonly context: ClaimContext;
}

/** Claim C1: the same workflows. */
function fixedCatalog({ tier, test, point, context }: Shown): string {
  const { declaredShare, outOfScopeShare } = context;
  const mix =
    declaredShare === null
      ? `from the same mix, of which ${percent(outOfScopeShare)} is out of scope. `
      : `from a mix of which ${percent(declaredShare)} is out of scope (${percent(outOfScopeShare)} of the ` +
        "certification requests, which were re-weighted). ";
  return (
    `With probability at least ${percentDown(1 - test.delta)} over the certification requests, at most ` +
    `${percent(test.target)} of the requests routed in tier ${tier} go to a wrong workflow, for new requests to the same ` +
    `${count(point.workflows)} workflows and out-of-scope groups drawn independently ${mix}This says nothing about ` +
    "workflows that were not in the certification data."
  );
}

/** Claim C2: new workflows, approximate. */
function newWorkflowsApproximate({ tier, test, point, context }: Shown): string {
  const { declaredShare, outOfScopeShare } = context;
  const mix =
    declaredShare === null
      ? `${percent(outOfScopeShare)} of the certification requests were out of scope. `
      : `The rates were re-weighted to traffic of which ${percent(declaredShare)} is out of scope ` +
        `(${percent(outOfScopeShare)} in the certification requests). `;
  return (
    `For requests to new workflows of the same kind as the ${count(point.workflows)} certification workflows and ` +
    `out-of-scope groups, at most ${percent(test.target)} of the requests routed in tier ${tier} are estimated to go to ` +
    `a wrong workflow, at approximate confidence ${percentDown(1 - test.delta)}. ${count(point.errors)} of ` +
    `${count(point.routed)} routed requests were wrong; because requests of one workflow resemble each other they were ` +
    `counted as ${count(point.effectiveRouted)} independent requests (design effect ${factorUp(point.designEffect)}, ` +
    `ICC ${factorUp(context.icc)}). ${mix}` +
    "The confidence rests on this correction and is not a finite-sample proof."
  );
}

/** Claim C3-macro: new workflows, finite sample. */
function newWorkflows({ tier, test, point, context }: Shown): string {
  return (
    `With probability at least ${percentDown(1 - test.delta)} over the draw of ${count(point.workflows)} independent ` +
    `workflows and out-of-scope groups, the average over them of the wrong share among the routed requests of tier ` +
    `${tier} is at most ${percent(test.target)}. Every workflow or group with a routed request counts once; this is not ` +
    `the share over requests. ${percent(context.outOfScopeShare)} of the certification requests were out of scope.`
  );
}

/** Claim CRC: in expectation. */
function expectedJointRisk({ tier, test, point, context }: Shown): string {
  return (
    `Averaged over calibrations with as many workflows, the expected share of all requests, routed or not, that are ` +
    `routed wrongly in tier ${tier} is at most ${percent(test.target)} for the next workflow or out-of-scope group, each ` +
    `counted once. ${count(point.errors)} of ${count(point.routed)} routed requests were wrong; ` +
    `${percent(context.outOfScopeShare)} of the certification requests were out of scope. This is an average, not a ` +
    "statement about this particular file."
  );
}

const texts: Readonly<Record<ClaimKind, (shown: Shown) => string>> = {
  "fixed-catalog": fixedCatalog,
  "new-workflows-approximate": newWorkflowsApproximate,
  "new-workflows": newWorkflows,
  "expected-joint-risk": expectedJointRisk,
};

/** The claim of one tier at the point that it ships, in the words that may be printed for it. */
export function tierClaim(tier: RiskTier, test: RiskTest, point: TestStep, context: ClaimContext): string {
  return texts[context.claim]({ tier, test, point, context });
}

/** The claim of a tier that abstains. */
export function notCertifiedClaim(tier: RiskTier, reason: string): string {
  return `Tier ${tier} is disabled: ${reason}. The router abstains for every request of this tier.`;
}
