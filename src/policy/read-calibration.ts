import { type Calibration, CalibrationSchema, type Claim, type TierCalibration } from "../domain/calibration.js";
import { type Calibration1, Calibration1Schema, type TierCalibration1 } from "../domain/calibration-1.js";
import { toCamel } from "../domain/camel.js";
import { type RiskTier, riskTiers } from "../domain/choices.js";
import { checkSchema } from "../domain/check-schema.js";
import { SluiceError } from "../errors/error.js";
import { requireValidCalibration } from "./require-valid-calibration.js";

/**
 * A calibration document of any version, in the form of the present one. Files of version 1 retain their thresholds,
 * evidence and signed sentences.
 * @param what  how the reader knows the document, e.g. a file path
 * @throws {SluiceError} SCHEMA_INVALID, CALIBRATION_INVALID
 */
export function readCalibrationDocument(document: unknown, what: string): Calibration {
  const version = (document as { readonly schema_version?: unknown } | null)?.schema_version;
  const calibration =
    version === 1
      ? fromVersion1(toCamel(checkSchema(Calibration1Schema, document, what)))
      : toCamel(checkSchema(CalibrationSchema, document, what));
  requireFitOptions(calibration, what);
  return requireValidCalibration(calibration, what);
}

/** Version 2 states no options of the fit, version 3 states them, version 4 background rows among them. */
function requireFitOptions({ schemaVersion, fit }: Calibration, what: string): void {
  const withBackground = fit?.background === undefined ? 3 : 4;
  if (schemaVersion === (fit === undefined ? 2 : withBackground)) return;
  const found = fit === undefined ? "no fit" : `fit ${withBackground === 4 ? "with" : "without"} background`;
  throw new SluiceError(
    "SCHEMA_INVALID",
    `${what}: version ${schemaVersion} with ${found}, expected no fit in version 2, fit without background in version 3 and with it in version 4`,
  );
}

function fromVersion1({ tiers, claim, ...rest }: Calibration1): Calibration {
  const delta = claim === "expected-joint-risk" ? null : rest.jointDelta;
  return {
    ...rest,
    schemaVersion: 2,
    certifiedWorkflows: null,
    crossFit: null,
    risingRisk: null,
    jointDelta: delta,
    tiers: {
      low: tierOf(tiers.low),
      medium: tierOf(tiers.medium),
      high: tierOf(tiers.high),
      critical: tierOf(tiers.critical),
    },
    claims: riskTiers.map((tier) => claimOf(tier, tiers[tier], claim)),
  };
}

/** The step that a tier of version 1 ships, or the last one that it tested. */
function shownStep({ confidence, margin, trace }: TierCalibration1) {
  return trace.find((step) => step.confidence === confidence && step.margin === margin) ?? trace.at(-1);
}

function tierOf(tier: TierCalibration1): TierCalibration {
  const { confidence, margin, abstainReason, targetRisk, certifyRequests, routed, errors, workflows, trace } = tier;
  const stricter = trace.filter(
    (step) => confidence !== null && step.confidence >= confidence && step.routed <= routed,
  );
  return {
    confidence,
    margin,
    abstainReason,
    targetRisk,
    certifyRequests,
    routed,
    errors,
    workflows,
    designEffect: shownStep(tier)?.designEffect ?? 1,
    lowerBound: tier.upperBound === null ? null : 0,
    upperBound: tier.upperBound,
    curve: stricter.map((step) => ({ confidence: step.confidence, routed: step.routed })),
  };
}

/** A step without its margin, which no longer is a dimension of the path. */
function stepOf({ margin, ...step }: TierCalibration1["trace"][number]): Claim["trace"][number] {
  void margin;
  return step;
}

function claimOf(scope: RiskTier, tier: TierCalibration1, kind: Calibration1["claim"]): Claim {
  const certified = tier.confidence !== null;
  return {
    population: kind === "fixed-catalog" ? "this_catalog" : "new_workflows",
    scope,
    tiers: [scope],
    targetRisk: tier.targetRisk,
    delta: kind === "expected-joint-risk" ? null : tier.delta,
    certified,
    reason: certified ? null : tier.abstainReason,
    sentence: certified ? tier.claim : tier.message,
    requests: tier.certifyRequests,
    routed: tier.routed,
    errors: tier.errors,
    workflows: tier.workflows,
    effectiveRouted: shownStep(tier)?.effectiveRouted ?? 0,
    upperBound: tier.upperBound,
    icc: null,
    startErrors: null,
    trace: tier.trace.map(stepOf),
  };
}
