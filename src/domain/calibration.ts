import { type Static, Type } from "typebox";
import type { Camel } from "./camel.js";
import { CalibratorCandidateSchema, CalibratorSchema } from "./calibrator.js";
import { closed, CountSchema, ProbabilitySchema, Sha256Schema, VersionSchema } from "./primitives.js";

/** One tested point of the threshold path, in path order. */
const TestStepSchema = Type.Object(
  {
    confidence: ProbabilitySchema,
    margin: ProbabilitySchema,
    routed: CountSchema,
    errors: CountSchema,
    workflows: CountSchema,
    design_effect: Type.Number({ minimum: 1 }),
    /** Independent units that the evidence counts for: requests, or workflows where each counts once. */
    effective_routed: Type.Number({ minimum: 0 }),
    /** Rounded up; null where the method controls an expectation and has no p-value. */
    p_value: Type.Union([ProbabilitySchema, Type.Null()]),
    upper_bound: ProbabilitySchema,
    passed: Type.Boolean(),
  },
  closed,
);

export const abstainReasons = [
  "NO_ACCEPTED_ROWS",
  "TOO_FEW_ROUTED",
  "TOO_FEW_WORKFLOWS",
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

/** Whom a calibration speaks about, and how surely; docs/calibration.md explains each. */
export const claimKinds = [
  "fixed-catalog",
  "new-workflows-approximate",
  "new-workflows",
  "expected-joint-risk",
] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** How the points of a path are tested so that all certificates hold together. */
export const procedures = ["fixed-sequence", "holm", "graph"] as const;
export type Procedure = (typeof procedures)[number];

/** Procedure and evidence of the tests. */
export const certificationMethods = [
  "fixed-sequence-exact-binomial-n-eff",
  "fixed-sequence-exact-binomial",
  "fixed-sequence-betting-per-workflow",
  "fixed-sequence-weighted-mix",
  "fixed-sequence-exact-mix",
  "holm-exact-binomial-n-eff",
  "holm-exact-binomial",
  "holm-betting-per-workflow",
  "holm-weighted-mix",
  "holm-exact-mix",
  "graph-exact-binomial-n-eff",
  "graph-exact-binomial",
  "graph-betting-per-workflow",
  "graph-weighted-mix",
  "graph-exact-mix",
  "conformal-risk-control-per-workflow",
] as const;
export type CertificationMethod = (typeof certificationMethods)[number];

/** What the certified thresholds do at one share of out-of-scope requests; null where nothing is routed. */
const MixPointSchema = Type.Object(
  {
    out_of_scope_share: ProbabilitySchema,
    coverage: Type.Union([ProbabilitySchema, Type.Null()]),
    false_route_rate: Type.Union([ProbabilitySchema, Type.Null()]),
    /** One-sided, at the joint delta, for this row alone. */
    upper_bound: Type.Union([ProbabilitySchema, Type.Null()]),
  },
  closed,
);

/** The traffic that a calibration expects, and what other traffic would do. */
const TrafficSchema = Type.Object(
  {
    /** true when someone declared the share of out-of-scope requests; false takes that of CERTIFY. */
    declared: Type.Boolean(),
    /** Share of each tier, by the workflow that is right, in the in-scope requests; null takes that of CERTIFY. */
    tier_mix: Type.Union([
      Type.Object(
        { low: ProbabilitySchema, medium: ProbabilitySchema, high: ProbabilitySchema, critical: ProbabilitySchema },
        closed,
      ),
      Type.Null(),
    ]),
    /** At the expected share. */
    expected: MixPointSchema,
    /** From 1 % to 60 % out of scope. */
    sensitivity: Type.Array(MixPointSchema),
  },
  closed,
);

/** Costs that chose among the certified points, and what the choice saves on CERTIFY; in the unit of the costs. */
const OperatingCostSchema = Type.Object(
  {
    false_route: Type.Number({ minimum: 0 }),
    fallback: Type.Number({ minimum: 0 }),
    /** Cost per request when every request falls back, when the loosest certified points ship, and as shipped. */
    without_router: Type.Number({ minimum: 0 }),
    at_most_coverage: Type.Number({ minimum: 0 }),
    as_shipped: Type.Number({ minimum: 0 }),
  },
  closed,
);

export const CalibrationSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    calibration_version: VersionSchema,
    calibrator: CalibratorSchema,
    calibrator_candidates: Type.Array(CalibratorCandidateSchema),
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
    claim: Type.Enum([...claimKinds]),
    method: Type.Enum([...certificationMethods]),
    population: Type.String(),
    out_of_scope_share: ProbabilitySchema,
    traffic: TrafficSchema,
    operating_cost: Type.Union([OperatingCostSchema, Type.Null()]),
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
export type Traffic = Calibration["traffic"];
export type MixPoint = Traffic["expected"];
export type TestStep = Camel<Static<typeof TestStepSchema>>;
