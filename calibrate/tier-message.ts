import type { TestStep, TierCalibration } from "../src/domain/calibration.js";
import type { RiskTier } from "../src/domain/catalog.js";
import { minimumSampleSize } from "../src/stats/minimum-sample-size.js";
import type { TierCertificate } from "./certify-tier.js";
import type { RiskTest } from "./point-evidence.js";
import type { TierChoice } from "./monotone-tiers.js";
import { count, countUp, factorUp, percent, percentUp, probability } from "./number-text.js";
import { planSampleSize } from "./plan-sample-size.js";

/** What a target needs in plain words, for a new CERTIFY fold that behaves like the evidence. */
export function needText(
  tier: RiskTier,
  tested: Pick<TierCalibration, "certifyRequests" | "trace">,
  test: RiskTest,
): string {
  const plan = planSampleSize(tested.trace, tested.certifyRequests, test);
  const target = `A target of ${percent(test.target)} at ${probability(test.delta)}`;
  if (plan === null) {
    return `${target} is out of reach at the present risk: more data would not help, a better model or a higher target would.`;
  }
  const needs = `${target} needs about ${count(plan.independentNeeded)} independent routed requests`;
  if (plan.moreRouted === 0) return `${needs}, and has them.`;
  return (
    `${needs}: about ${countUp(plan.moreRouted)} more routed, that is ${countUp(plan.moreRequests)} more requests of tier ` +
    `${tier} from ${countUp(plan.moreWorkflows)} more workflows.`
  );
}

function tooFewRouted(tier: RiskTier, certificate: TierCertificate, startErrors: readonly number[]): string {
  const { evidence, test, requests } = certificate;
  const errors = startErrors.at(-1) ?? 0;
  const needed = minimumSampleSize(test.target, test.delta, errors);
  const none = minimumSampleSize(test.target, test.delta, 0);
  const most = evidence.reduce((a, b) => (b.plannedEffective > a.plannedEffective ? b : a));
  const effect = most.routed / most.plannedEffective;
  const missing = needed - most.plannedEffective;
  const routed = missing * effect;
  return (
    `tier ${tier}: target ${percent(test.target)} at ${probability(test.delta)} needs ${count(needed)} independent routed ` +
    `requests to allow ${errors} ${errors === 1 ? "error" : "errors"} (${count(none)} to allow none). At most ${count(most.routed)} are routed, worth ` +
    `${count(most.plannedEffective)} after design effect ${factorUp(effect)}. Need ${countUp(missing)} more independent ` +
    `ones: about ${countUp(routed)} routed, or ${countUp(routed * (requests / most.routed))} requests of this tier from ` +
    `${countUp(routed * (most.workflows / most.routed))} more workflows.`
  );
}

function tooFewWorkflows(tier: RiskTier, certificate: TierCertificate, startErrors: readonly number[]): string {
  const { evidence, test } = certificate;
  const most = evidence.reduce((a, b) => (b.plannedEffective > a.plannedEffective ? b : a));
  const workflows = Math.floor(most.plannedEffective);
  const errors = startErrors.at(-1) ?? 0;
  const expected = most.judge?.(test).pValue === null;
  const needed = expected ? Math.ceil(1 / test.target - 1) : minimumSampleSize(test.target, test.delta, errors);
  const smallest = expected ? 1 / (workflows + 1) : 1 - test.delta ** (1 / Math.max(1, workflows));
  return (
    `tier ${tier}: target ${percent(test.target)} at ${probability(test.delta)} needs at least ${count(needed)} workflows ` +
    `and out-of-scope groups with a routed request; there are ${count(workflows)}. Smallest target that ` +
    `${count(workflows)} can support: ${percentUp(smallest)}. Add ${countUp(Math.max(1, needed - workflows))} workflows, ` +
    `or use the claim new-workflows-approximate.`
  );
}

function riskNotCertified(tier: RiskTier, certificate: TierCertificate, first: TestStep): string {
  const { test, requests, sequence } = certificate;
  return (
    `tier ${tier}: at the strictest tested threshold ${count(first.errors)} of ${count(first.routed)} routed requests were ` +
    `wrong, upper limit ${percentUp(first.upperBound)} at ${probability(test.delta)}, target ${percent(test.target)}. ` +
    `Tier disabled. ${needText(tier, { certifyRequests: requests, trace: sequence.trace }, test)}`
  );
}

function certified(tier: RiskTier, certificate: TierCertificate, point: TestStep): string {
  const { test, requests, sequence } = certificate;
  const stricter = { target: test.target / 2, delta: test.delta };
  return (
    `tier ${tier}: certified. ${count(point.errors)} of ${count(point.routed)} routed requests were wrong, upper limit ` +
    `${percentUp(point.upperBound)}, target ${percent(test.target)}.` +
    (point.pValue === null ? "" : ` ${needText(tier, { certifyRequests: requests, trace: sequence.trace }, stricter)}`)
  );
}

/** One line for the outcome of a tier: the evidence, and what the same or a stricter target would need. */
export function tierMessage(
  tier: RiskTier,
  certificate: TierCertificate,
  choice: TierChoice,
  startErrors: readonly number[],
): string {
  if (choice.reason === null) return certified(tier, certificate, choice.point);
  const first = certificate.sequence.trace[0];
  if (choice.reason === "RISK_NOT_CERTIFIED" && first !== undefined) return riskNotCertified(tier, certificate, first);
  if (choice.reason === "TOO_FEW_ROUTED") return tooFewRouted(tier, certificate, startErrors);
  if (choice.reason === "TOO_FEW_WORKFLOWS") return tooFewWorkflows(tier, certificate, startErrors);
  if (choice.reason === "RAISED_POINT_NOT_CERTIFIED") {
    return (
      `tier ${tier}: certified, but thresholds must not fall from a lower to a higher tier, and the certified points of ` +
      `the other tiers that fit together without this one route more. Tier disabled.`
    );
  }
  if (certificate.evidence.length === 0) {
    return `tier ${tier}: no TUNE request could be routed in this tier, so no thresholds were tested. Tier disabled.`;
  }
  return `tier ${tier}: no CERTIFY request reaches any tested threshold. Tier disabled.`;
}
