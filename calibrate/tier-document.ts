import type { TierCalibration } from "../src/domain/calibration.js";
import type { RiskTier } from "../src/domain/catalog.js";
import type { TierCertificate } from "./certify-tier.js";
import { type ClaimContext, notCertifiedClaim, tierClaim } from "./claim-text.js";
import type { TierChoice } from "./monotone-tiers.js";
import { tierMessage } from "./tier-message.js";

/** Counts at the chosen point; without one, at the first point tested, else at the last one counted. */
function evidenceShown({ sequence, evidence }: TierCertificate, { point }: TierChoice) {
  return point ?? sequence.trace[0] ?? evidence.at(-1) ?? { routed: 0, errors: 0, workflows: 0 };
}

/** The part of the calibration that one tier has: thresholds or why there are none, claim and evidence. */
export function tierDocument(
  tier: RiskTier,
  certificate: TierCertificate,
  choice: TierChoice,
  context: Omit<ClaimContext, "icc"> & { readonly startErrors: readonly number[] },
): TierCalibration {
  const { test, requests, sequence, icc } = certificate;
  const claim =
    choice.reason === null
      ? tierClaim(tier, test, choice.point, { ...context, icc })
      : notCertifiedClaim(tier, choice.reason);
  const { routed, errors, workflows } = evidenceShown(certificate, choice);
  return {
    confidence: choice.point?.confidence ?? null,
    margin: choice.point?.margin ?? null,
    abstainReason: choice.reason,
    message: tierMessage(tier, certificate, choice, context.startErrors),
    targetRisk: test.target,
    delta: test.delta,
    claim,
    certifyRequests: requests,
    routed,
    errors,
    workflows,
    upperBound: choice.point?.upperBound ?? null,
    trace: sequence.trace,
  };
}
