import type { Calibration, ClaimKind, TierCalibration } from "../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../src/domain/catalog.js";
import { jointClaim } from "./claim-text.js";
import { describeCalibrator } from "./describe-calibrator.js";
import { describeCost, describeTraffic } from "./describe-traffic.js";
import { count, percent, percentUp, probability } from "./number-text.js";
import { strictestSupportedTarget } from "./plan-sample-size.js";

/** Whom the calibration speaks about. */
const claimTexts: Readonly<Record<ClaimKind, string>> = {
  "fixed-catalog": "new requests to the same workflows",
  "new-workflows-approximate": "requests to new workflows, approximate confidence",
  "new-workflows": "new workflows, each counted once, finite-sample confidence",
  "expected-joint-risk": "new workflows, on average over calibrations",
};

function tierLines(tier: RiskTier, calibration: TierCalibration): readonly string[] {
  const { confidence, margin, routed, errors, workflows, certifyRequests, upperBound, trace } = calibration;
  if (confidence === null || margin === null || upperBound === null) {
    return [`Tier ${tier} abstains (${calibration.abstainReason ?? "no reason given"}).`, `  ${calibration.message}`];
  }
  const strictest = strictestSupportedTarget(trace);
  return [
    `Tier ${tier} routes at confidence ${confidence} and margin ${margin}, or more.`,
    `  ${calibration.claim}`,
    `  Evidence: ${count(routed)} of ${count(certifyRequests)} requests routed, ${count(errors)} wrong, ` +
      `${count(workflows)} workflows and groups, upper limit ${percentUp(upperBound)} at ${probability(calibration.delta)}.`,
    `  ${calibration.message}`,
    ...(strictest === null
      ? []
      : [`  No target below ${percentUp(strictest)} could have been certified with this evidence.`]),
  ];
}

/** A calibration in plain words for the person who approves it: claims, thresholds, evidence, abstaining tiers. */
export function describeCalibration(calibration: Calibration): readonly string[] {
  const { tiers, jointDelta, clarifyThreshold, minRetrievalScore, warnings } = calibration;
  const certified = riskTiers.filter((tier) => tiers[tier].confidence !== null);
  const tests = certified.map((tier) => ({ target: tiers[tier].targetRisk, delta: tiers[tier].delta }));
  return [
    `Calibration ${calibration.calibrationVersion}`,
    `Population: ${calibration.population} Out-of-scope share expected in service: ${percent(calibration.outOfScopeShare)}.`,
    `Claim: ${claimTexts[calibration.claim]}. Method: ${calibration.method}.`,
    ...describeCalibrator(calibration),
    certified.length === 0
      ? "No tier is certified: the router declines every request that no exact event rule answers."
      : jointClaim(calibration.claim, tests, jointDelta),
    ...riskTiers.flatMap((tier) => tierLines(tier, tiers[tier])),
    ...describeTraffic(calibration),
    ...describeCost(calibration),
    clarifyThreshold >= 1
      ? "Questions about missing inputs are asked at confidence 1 only."
      : `Questions about missing inputs are asked at confidence ${clarifyThreshold} or more (estimated on TUNE, not certified).`,
    `Requests whose best retrieval score is below ${minRetrievalScore} are declined.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}
