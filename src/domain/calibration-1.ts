import { type Static, Type } from "typebox";
import type { Camel } from "./camel.js";
import { abstainReasons, FittedOnSchema, OperatingCostSchema, TrafficSchema } from "./calibration.js";
import { CalibratorCandidateSchema, CalibratorSchema } from "./calibrator.js";
import { closed, CountSchema, ProbabilitySchema, VersionSchema } from "./primitives.js";

const StepSchema = Type.Object(
  {
    confidence: ProbabilitySchema,
    margin: ProbabilitySchema,
    routed: CountSchema,
    errors: CountSchema,
    workflows: CountSchema,
    design_effect: Type.Number({ minimum: 1 }),
    effective_routed: Type.Number({ minimum: 0 }),
    p_value: Type.Union([ProbabilitySchema, Type.Null()]),
    upper_bound: ProbabilitySchema,
    passed: Type.Boolean(),
  },
  closed,
);

const TierSchema = Type.Object(
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
    trace: Type.Array(StepSchema),
  },
  closed,
);

/** Calibration files of earlier releases: one claim for each tier, thresholds of two dimensions. */
export const Calibration1Schema = Type.Object(
  {
    schema_version: Type.Literal(1),
    calibration_version: VersionSchema,
    calibrator: CalibratorSchema,
    calibrator_candidates: Type.Array(CalibratorCandidateSchema),
    tiers: Type.Object({ low: TierSchema, medium: TierSchema, high: TierSchema, critical: TierSchema }, closed),
    clarify_threshold: ProbabilitySchema,
    min_retrieval_score: Type.Number(),
    joint_delta: ProbabilitySchema,
    claim: Type.Enum(["fixed-catalog", "new-workflows-approximate", "new-workflows", "expected-joint-risk"]),
    method: Type.String({ minLength: 1 }),
    population: Type.String(),
    out_of_scope_share: ProbabilitySchema,
    traffic: TrafficSchema,
    operating_cost: Type.Union([OperatingCostSchema, Type.Null()]),
    digests: FittedOnSchema,
    warnings: Type.Array(Type.String()),
  },
  closed,
);
export type Calibration1 = Camel<Static<typeof Calibration1Schema>>;
export type TierCalibration1 = Calibration1["tiers"]["low"];
