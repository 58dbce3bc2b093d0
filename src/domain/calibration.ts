import { type Static, Type } from "typebox";
import type { Camel } from "./camel.js";
import { closed, CountSchema, ProbabilitySchema, Sha256Schema, VersionSchema } from "./primitives.js";

/** confidence = sigma(slope * z + intercept), z = log(P(match) / P(mismatch)) of the verifier. Identity: slope 1, intercept 0. */
export const CalibratorSchema = Type.Object(
  {
    family: Type.Enum(["identity", "temperature", "platt"]),
    slope: Type.Number({ minimum: 0 }),
    intercept: Type.Number(),
    fitted_requests: CountSchema,
    fitted_errors: CountSchema,
  },
  closed,
);

/** One step of the fixed-sequence test, in path order. */
const TestStepSchema = Type.Object(
  {
    confidence: ProbabilitySchema,
    margin: ProbabilitySchema,
    routed: CountSchema,
    errors: CountSchema,
    workflows: CountSchema,
    design_effect: Type.Number({ minimum: 1 }),
    effective_routed: Type.Number({ minimum: 0 }),
    p_value: ProbabilitySchema,
    upper_bound: ProbabilitySchema,
    passed: Type.Boolean(),
  },
  closed,
);

export const abstainReasons = [
  "NO_ACCEPTED_ROWS",
  "TOO_FEW_ROUTED",
  "RISK_NOT_CERTIFIED",
  "RAISED_POINT_NOT_CERTIFIED",
] as const;
export type AbstainReason = (typeof abstainReasons)[number];

/** Thresholds of one tier; both null when the tier abstains, with the reason and what would be enough. */
export const TierCalibrationSchema = Type.Object(
  {
    confidence: Type.Union([ProbabilitySchema, Type.Null()]),
    margin: Type.Union([ProbabilitySchema, Type.Null()]),
    abstain_reason: Type.Union([Type.Enum([...abstainReasons]), Type.Null()]),
    message: Type.String(),
    target_risk: ProbabilitySchema,
    delta: ProbabilitySchema,
    claim: Type.String(),
    certify_requests: CountSchema,
    routed: CountSchema,
    errors: CountSchema,
    workflows: CountSchema,
    upper_bound: Type.Union([ProbabilitySchema, Type.Null()]),
    trace: Type.Array(TestStepSchema),
  },
  closed,
);

export const CalibrationSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    calibration_version: VersionSchema,
    calibrator: CalibratorSchema,
    tiers: Type.Object(
      {
        low: TierCalibrationSchema,
        medium: TierCalibrationSchema,
        high: TierCalibrationSchema,
        critical: TierCalibrationSchema,
      },
      closed,
    ),
    clarify_threshold: ProbabilitySchema,
    min_retrieval_score: Type.Number(),
    joint_delta: ProbabilitySchema,
    method: Type.Literal("fixed-sequence-exact-binomial-n-eff"),
    population: Type.String(),
    out_of_scope_share: ProbabilitySchema,
    digests: Type.Object(
      { catalog: Sha256Schema, dataset: Sha256Schema, split: Sha256Schema, run: Sha256Schema },
      closed,
    ),
    warnings: Type.Array(Type.String()),
  },
  closed,
);
export type CalibrationWire = Static<typeof CalibrationSchema>;
export type Calibration = Camel<CalibrationWire>;
export type TierCalibration = Camel<Static<typeof TierCalibrationSchema>>;
export type Calibrator = Camel<Static<typeof CalibratorSchema>>;
export type TestStep = Camel<Static<typeof TestStepSchema>>;
