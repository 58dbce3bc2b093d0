import { Type } from "../base/typebox.js";
import { CalibratorCandidateSchema, CalibratorSchema } from "./calibrator.js";
import { riskTiers } from "./choices.js";
import { calibratorFamilyNames, claimKinds } from "./choices.js";
import {
  closed,
  CountSchema,
  nullable,
  ProbabilitySchema,
  type ReadonlyStatic,
  Sha256Schema,
  VersionSchema,
  WorkflowIdSchema,
} from "./primitives.js";

/** One tested step of the threshold path, in path order. */
const TestStepSchema = Type.Object(
  {
    confidence: ProbabilitySchema,
    routed: CountSchema,
    errors: CountSchema,
    workflows: CountSchema,
    design_effect: Type.Number({ minimum: 1 }),
    /** Independent requests that the routed requests count for. */
    effective_routed: Type.Number({ minimum: 0 }),
    /** Rounded up; null where the method controls an expectation and has no p-value. */
    p_value: nullable(ProbabilitySchema),
    upper_bound: ProbabilitySchema,
    passed: Type.Boolean(),
    /** Target of a step of the sequence that is looser than the planned one; absent: the planned target. */
    target_risk: Type.Optional(ProbabilitySchema),
  },
  closed,
);

export const abstainReasons = [
  "NO_ACCEPTED_ROWS",
  "TOO_FEW_ROUTED",
  "TOO_FEW_WORKFLOWS",
  "RISK_NOT_CERTIFIED",
  "RAISED_POINT_NOT_CERTIFIED",
  "RISK_RISES_WITH_SCORE",
] as const;
export type AbstainReason = (typeof abstainReasons)[number];

/** One sentence that is signed, and the evidence for it. */
const ClaimSchema = Type.Object(
  {
    /** Population of the claim. */
    population: Type.Enum(["new_workflows", "this_catalog"]),
    /** "overall", or the single tier of the claim. */
    scope: Type.Enum(["overall", ...riskTiers]),
    /** Tiers that the claim covers. */
    tiers: Type.Array(Type.Enum([...riskTiers])),
    /**
     * Share of the routed requests that may be wrong; of all requests under "expected-joint-risk". The last target of the
     * sequence that passed; the planned one where none did.
     */
    target_risk: ProbabilitySchema,
    /** Probability that the claim is wrong; null where it is an average and has no confidence level. */
    delta: nullable(ProbabilitySchema),
    certified: Type.Boolean(),
    /** Why it is not certified. */
    reason: nullable(Type.Enum([...abstainReasons])),
    /** The sentence that the approver signs; if the claim is not certified, it says what would suffice. */
    sentence: Type.String(),
    /** Tested requests that some threshold would route to these tiers. */
    requests: CountSchema,
    /** At the shipped step; at the first tested one, otherwise the last one counted, where nothing is certified. */
    routed: CountSchema,
    errors: CountSchema,
    workflows: CountSchema,
    effective_routed: Type.Number({ minimum: 0 }),
    upper_bound: nullable(ProbabilitySchema),
    /** Intra-cluster correlation that the tests used; null where each request counts. */
    icc: nullable(ProbabilitySchema),
    /** Errors that the first tested step was chosen to allow; null when no step has enough requests. */
    start_errors: nullable(CountSchema),
    trace: Type.Array(TestStepSchema),
  },
  closed,
);

/** The set predictor: thresholds of shortlists, and what the tested requests got. */
const ShortlistSchema = Type.Object(
  {
    population: Type.Enum(["new_workflows", "this_catalog"]),
    /** Share of the requests in scope whose shortlist may lack the right workflow; the planned one where nothing passed. */
    target_miss: ProbabilitySchema,
    planned_miss: ProbabilitySchema,
    /** Probability that this claim is wrong; the claims about routes have their own. */
    delta: ProbabilitySchema,
    certified: Type.Boolean(),
    reason: nullable(Type.Enum([...abstainReasons])),
    /** Printed and signed. */
    sentence: Type.String(),
    /** Smallest confidence of the first candidate for a list; null where nothing is certified. */
    entry: nullable(ProbabilitySchema),
    /** Smallest odds of a listed workflow relative to the first; null where nothing is certified. */
    share: nullable(ProbabilitySchema),
    /** Maximum number of workflows of a list. */
    size: Type.Integer({ minimum: 1 }),
    /** Tested requests in scope; those whose list lacks the right workflow; those that have it among so many candidates. */
    requests: CountSchema,
    missed: CountSchema,
    reachable: CountSchema,
    workflows: CountSchema,
    /** Independent requests that they count for. */
    effective_requests: Type.Number({ minimum: 0 }),
    upper_bound: nullable(ProbabilitySchema),
    /** Total workflows listed, and requests with an empty list; then the same for out-of-scope requests. */
    listed: CountSchema,
    empty: CountSchema,
    out_of_scope: CountSchema,
    out_of_scope_listed: CountSchema,
    out_of_scope_empty: CountSchema,
    /** Tested steps in their order. */
    trace: Type.Array(
      Type.Object(
        {
          share: ProbabilitySchema,
          requests: CountSchema,
          missed: CountSchema,
          /** Rounded up. */
          p_value: ProbabilitySchema,
          upper_bound: ProbabilitySchema,
          passed: Type.Boolean(),
          target_miss: ProbabilitySchema,
        },
        closed,
      ),
    ),
  },
  closed,
);
export type ShortlistCalibration = ReadonlyStatic<typeof ShortlistSchema>;

/** Thresholds of one tier, both null when it abstains, and what the tested requests did in it. */
export const TierCalibrationSchema = Type.Object(
  {
    confidence: nullable(ProbabilitySchema),
    margin: nullable(ProbabilitySchema),
    abstain_reason: nullable(Type.Enum([...abstainReasons])),
    /** Target of the separate claim of the tier; null where only the overall claim covers it. */
    target_risk: nullable(ProbabilitySchema),
    /** Tested requests that some threshold would route to the tier. */
    certify_requests: CountSchema,
    routed: CountSchema,
    errors: CountSchema,
    workflows: CountSchema,
    design_effect: Type.Number({ minimum: 1 }),
    /** Two-sided 95 % interval of errors / routed, for information only; null where nothing is routed. */
    lower_bound: nullable(ProbabilitySchema),
    upper_bound: nullable(ProbabilitySchema),
    /** Tested requests routed at the shipped threshold and at stricter ones, strictest first. */
    curve: Type.Array(Type.Object({ confidence: ProbabilitySchema, routed: CountSchema }, closed)),
  },
  closed,
);

/** Tests of a claim. */
export const certificationMethods = [
  "fixed-sequence-n-eff-floor",
  "fixed-sequence-weighted-mix",
  "fixed-sequence-exact-binomial",
  "fixed-sequence-exact-mix",
  "conformal-risk-control-per-workflow",
] as const;
export type CertificationMethod = (typeof certificationMethods)[number];

/** Results of the certified thresholds at one share of out-of-scope requests; null where nothing is routed. */
export const MixPointSchema = Type.Object(
  {
    out_of_scope_share: ProbabilitySchema,
    coverage: nullable(ProbabilitySchema),
    false_route_rate: nullable(ProbabilitySchema),
    /** One-sided, at the joint delta, for this row alone. */
    upper_bound: nullable(ProbabilitySchema),
  },
  closed,
);

/** The traffic that a calibration expects, and what other traffic would do. */
export const TrafficSchema = Type.Object(
  {
    /** true when someone declared the share of out-of-scope requests; false: the share of CERTIFY. */
    declared: Type.Boolean(),
    /** Share of each tier, by the workflow that is right, in the in-scope requests; null: that of CERTIFY. */
    tier_mix: nullable(
      Type.Object(
        { low: ProbabilitySchema, medium: ProbabilitySchema, high: ProbabilitySchema, critical: ProbabilitySchema },
        closed,
      ),
    ),
    /** At the expected share. */
    expected: MixPointSchema,
    /** From 1 % to 60 % out of scope. */
    sensitivity: Type.Array(MixPointSchema),
  },
  closed,
);

/** Costs that chose among the certified steps, and what the choice saves on CERTIFY; in the unit of the costs. */
export const OperatingCostSchema = Type.Object(
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

/** Digests of the records that a calibration was fitted on. */
export const FittedOnSchema = Type.Object(
  { catalog: Sha256Schema, dataset: Sha256Schema, split: Sha256Schema, run: Sha256Schema },
  closed,
);

const TierSharesSchema = Type.Object(
  { low: ProbabilitySchema, medium: ProbabilitySchema, high: ProbabilitySchema, critical: ProbabilitySchema },
  closed,
);

/** Background rows of a fit: their texts, their scores over the catalog, and how many of them were used. */
const FitBackgroundSchema = Type.Object(
  { requests_sha256: Sha256Schema, records_sha256: Sha256Schema, rows: Type.Integer({ minimum: 1 }) },
  closed,
);

/** The options of a fit; together with the scored records they determine every byte of a calibration. */
const FitOptionsSchema = Type.Object(
  {
    /** The planned target. */
    target_risk: ProbabilitySchema,
    /**
     * Targets tested before the planned one, falling, each at the first threshold that routes `looser_share` of the
     * routable requests; empty: the planned target alone.
     */
    looser_targets: Type.Array(ProbabilitySchema),
    looser_share: ProbabilitySchema,
    /** Each tested request was scored with its family left out of the catalog's examples. */
    left_out: Type.Boolean(),
    /** Target of each tier with a separate claim; null: the overall claim covers the tier. */
    required_tiers: Type.Object(
      {
        low: nullable(ProbabilitySchema),
        medium: nullable(ProbabilitySchema),
        high: nullable(ProbabilitySchema),
        critical: nullable(ProbabilitySchema),
      },
      closed,
    ),
    delta: ProbabilitySchema,
    /** Number of this calibration among those on these labels, tested at 6 delta / (pi attempt)^2; null: the only one, at delta. */
    attempt: nullable(Type.Integer({ minimum: 1 })),
    claim: Type.Enum([...claimKinds]),
    start_errors: Type.Array(CountSchema, { minItems: 1 }),
    start_icc: ProbabilitySchema,
    /** Parts of the cross-fit; 1: TUNE learns, CERTIFY tests. */
    cross_fit: Type.Integer({ minimum: 1 }),
    /** Family that was prescribed; null: chosen by held-out loss. */
    calibrator: nullable(Type.Enum([...calibratorFamilyNames])),
    /** Declared share of out-of-scope requests; null: that of the tested requests. */
    out_of_scope_share: nullable(ProbabilitySchema),
    tier_mix: nullable(TierSharesSchema),
    costs: nullable(
      Type.Object({ false_route: Type.Number({ minimum: 0 }), fallback: Type.Number({ minimum: 0 }) }, closed),
    ),
    /** Generic requests that the calibrator learned as out of scope; absent: none. */
    background: Type.Optional(FitBackgroundSchema),
  },
  closed,
);
export type FitOptions = ReadonlyStatic<typeof FitOptionsSchema>;

/** Thresholds of each tier, their claims, and the fit that produced them. */
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
    /** Workflows with evidence, ascending; others are declined. null: every workflow may be routed. */
    certified_workflows: nullable(Type.Array(WorkflowIdSchema)),
    clarify_threshold: ProbabilitySchema,
    min_retrieval_score: Type.Number(),
    /** Probability that any of the claims is wrong; null where they are averages. */
    joint_delta: nullable(ProbabilitySchema),
    claims: Type.Array(ClaimSchema),
    /** Absent: the calibration makes no shortlists. */
    shortlist: Type.Optional(ShortlistSchema),
    method: Type.String({ minLength: 1 }),
    /** Whether workflows with higher scores are wrong more often than their scores say, which no claim about new ones covers. */
    rising_risk: nullable(
      Type.Object(
        {
          /** Standard normal without such a rise; a sign of one above 1.645. */
          statistic: Type.Number(),
          /** How often the test shows a rise of .8 in log odds for each unit of a workflow's risk factor, on these scores. */
          power: ProbabilitySchema,
        },
        closed,
      ),
    ),
    /** Parts in which TUNE and CERTIFY together were fitted on and tested; null: fitted on TUNE, tested on CERTIFY. */
    cross_fit: nullable(
      Type.Object({ parts: Type.Integer({ minimum: 2 }), by: Type.Enum(["workflow", "request"]) }, closed),
    ),
    population: Type.String(),
    out_of_scope_share: ProbabilitySchema,
    traffic: TrafficSchema,
    operating_cost: nullable(OperatingCostSchema),
    digests: FittedOnSchema,
    fit: FitOptionsSchema,
    /**
     * Where every text is used twice and the planned target is not signed: the next stricter target, and the further
     * labelled requests with which it is certified with probability 0.80 by simulation; null: ten times the present
     * ones do not suffice.
     */
    next_step: Type.Optional(Type.Object({ target_risk: ProbabilitySchema, requests: nullable(CountSchema) }, closed)),
    warnings: Type.Array(Type.String()),
  },
  closed,
);
export type NextStep = NonNullable<Calibration["next_step"]>;
export type Calibration = ReadonlyStatic<typeof CalibrationSchema>;
export type Claim = ReadonlyStatic<typeof ClaimSchema>;
export type TierCalibration = ReadonlyStatic<typeof TierCalibrationSchema>;
export type Traffic = Calibration["traffic"];
export type MixPoint = Traffic["expected"];
export type TestStep = ReadonlyStatic<typeof TestStepSchema>;
