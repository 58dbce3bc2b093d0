import { Type } from "../base/typebox.js";
import { CalibratorCandidateSchema, CalibratorSchema } from "./calibrator.js";
import { languageName } from "../base/language.js";
import { calibratorFamilyNames, claimKinds, type RiskTier, riskTiers, sliceFields } from "./choices.js";
import {
  object,
  CountSchema,
  LanguageSchema,
  nullable,
  ProbabilitySchema,
  type ReadonlyStatic,
  Sha256Schema,
  VersionSchema,
  WorkflowIdSchema,
} from "./primitives.js";

/** One tested step of the threshold path, in path order. */
const TestStepSchema = object({
  confidence: ProbabilitySchema,
  routed: CountSchema,
  errors: CountSchema,
  workflows: CountSchema,
  design_effect: Type.Number({ minimum: 1 }),
  /** Number of independent requests that the routed requests are worth (effective sample size). */
  effective_routed: Type.Number({ minimum: 0 }),
  /** Rounded up. */
  p_value: ProbabilitySchema,
  upper_bound: ProbabilitySchema,
  passed: Type.Boolean(),
  /** Target of this step, if looser than the planned one; absent for the planned target. */
  target_risk: Type.Optional(ProbabilitySchema),
});

export const abstainReasons = [
  "NO_ACCEPTED_ROWS",
  "TOO_FEW_ROUTED",
  "TOO_FEW_WORKFLOWS",
  "RISK_NOT_CERTIFIED",
  "RAISED_POINT_NOT_CERTIFIED",
  "RISK_RISES_WITH_SCORE",
] as const;
export type AbstainReason = (typeof abstainReasons)[number];

/** What a claim is about: all routes, those of a single tier, or those of texts in a language, such as "language:de". */
export type ClaimScope = "overall" | RiskTier | LanguageScope;
export type LanguageScope = `language:${string}`;

const claimScopePattern = `^(overall|${riskTiers.join("|")}|language:[a-z]{2,3})$`;

/** The language of a claim about one; otherwise null. */
export const languageOfScope = (scope: ClaimScope): string | null =>
  scope.startsWith("language:") ? scope.slice("language:".length) : null;

/** A scope in words: "overall", "tier high" or "German". */
export function scopeName(scope: ClaimScope): string {
  const language = languageOfScope(scope);
  if (language !== null) return languageName(language);
  return scope === "overall" ? scope : `tier ${scope}`;
}

/** One signed sentence and the evidence for it. */
const ClaimSchema = object({
  population: Type.Enum(["new_workflows", "this_catalog"]),
  scope: Type.Unsafe<ClaimScope>(Type.String({ pattern: claimScopePattern })),
  /** Tiers that the claim covers. */
  tiers: Type.Array(Type.Enum([...riskTiers])),
  /**
   * Largest share of the routed requests that may be wrong: the last target in the sequence that passed; the planned
   * one if none did.
   */
  target_risk: ProbabilitySchema,
  /** Probability that the claim is wrong. */
  delta: ProbabilitySchema,
  certified: Type.Boolean(),
  /** Why the claim is not certified. */
  reason: nullable(Type.Enum([...abstainReasons])),
  /** What the approver signs: a sentence, or that no text is routed, if the claim is not certified. */
  promise: Type.String(),
  /** What was measured; for a claim that is not certified, what would suffice. */
  basis: Type.String(),
  /** Tested requests that at least one threshold would route to these tiers. */
  requests: CountSchema,
  /**
   * At the shipped step. If nothing is certified: at the first tested step or, without one, at the last step counted.
   */
  routed: CountSchema,
  errors: CountSchema,
  workflows: CountSchema,
  effective_routed: Type.Number({ minimum: 0 }),
  upper_bound: nullable(ProbabilitySchema),
  /** Intra-cluster correlation used in the tests; null if requests count as independent. */
  icc: nullable(ProbabilitySchema),
  /** Number of errors that the choice of the first tested step allows; null if no step has enough requests. */
  start_errors: nullable(CountSchema),
  trace: Type.Array(TestStepSchema),
});

/** What a claim states, as it is printed: its promise and what that rests on. */
export const statementOf = ({ certified, promise, basis }: Pick<Claim, "certified" | "promise" | "basis">): string =>
  `${promise}${certified ? "" : ":"} ${basis}`;

/** The set predictor: thresholds of shortlists, and the test results. */
const ShortlistSchema = object({
  population: Type.Enum(["new_workflows", "this_catalog"]),
  /**
   * Largest share of in-scope requests whose shortlist may lack the right workflow; the planned one if no step
   * passed.
   */
  target_miss: ProbabilitySchema,
  planned_miss: ProbabilitySchema,
  /** Probability that this claim is wrong; claims about routes have a separate one. */
  delta: ProbabilitySchema,
  certified: Type.Boolean(),
  reason: nullable(Type.Enum([...abstainReasons])),
  /** The sentence that is printed and signed. */
  sentence: Type.String(),
  /** Minimum confidence of the first candidate for a shortlist; null if nothing is certified. */
  entry: nullable(ProbabilitySchema),
  /** Minimum odds of a listed workflow relative to the first; null if nothing is certified. */
  share: nullable(ProbabilitySchema),
  /** Maximum number of workflows in a shortlist. */
  size: Type.Integer({ minimum: 1 }),
  /**
   * Tested in-scope requests; those whose list lacks the right workflow; those that have it among the first `size`
   * candidates.
   */
  requests: CountSchema,
  missed: CountSchema,
  reachable: CountSchema,
  workflows: CountSchema,
  /** Number of independent requests that the tested requests are worth. */
  effective_requests: Type.Number({ minimum: 0 }),
  upper_bound: nullable(ProbabilitySchema),
  /** Total number of listed workflows, and of requests with an empty list; then the same for out-of-scope requests. */
  listed: CountSchema,
  empty: CountSchema,
  out_of_scope: CountSchema,
  out_of_scope_listed: CountSchema,
  out_of_scope_empty: CountSchema,
  /** Tested steps, in order. */
  trace: Type.Array(
    object({
      share: ProbabilitySchema,
      requests: CountSchema,
      missed: CountSchema,
      /** Rounded up. */
      p_value: ProbabilitySchema,
      upper_bound: ProbabilitySchema,
      passed: Type.Boolean(),
      target_miss: ProbabilitySchema,
    }),
  ),
});
export type ShortlistCalibration = ReadonlyStatic<typeof ShortlistSchema>;

/** Log odds that the answer to a follow-up is right: intercept and the sum of weight times column; see `answerOfFollowUp`. */
const FollowUpCalibratorSchema = object({
  intercept: Type.Number(),
  weights: object({
    previous_logit: Type.Number(),
    other_logit: Type.Number(),
    previous_score: Type.Number(),
    other_score: Type.Number(),
    other_lead: Type.Number(),
    closing: Type.Number(),
    new_wish: Type.Number(),
    continues: Type.Number(),
  }),
});
export type FollowUpCalibrator = ReadonlyStatic<typeof FollowUpCalibratorSchema>;

/** The claim about follow-ups that repeat the workflow of the request before them, or about those that change it. */
const FollowUpClaimSchema = object({
  /** null if it cannot be fitted. */
  calibrator: nullable(FollowUpCalibratorSchema),
  /** Minimum confidence of a route; null if nothing is certified. */
  threshold: nullable(ProbabilitySchema),
  target_risk: ProbabilitySchema,
  /** Probability that this claim is wrong; claims about requests that stand alone have a separate one. */
  delta: ProbabilitySchema,
  reason: nullable(Type.Enum([...abstainReasons])),
  /** The sentence that is printed and signed. */
  sentence: Type.String(),
  /** Tested follow-ups that at least one threshold would route. */
  requests: CountSchema,
  /** At the shipped step, or else at the first tested or the last counted one. */
  routed: CountSchema,
  errors: CountSchema,
  conversations: CountSchema,
  effective_routed: Type.Number({ minimum: 0 }),
  upper_bound: nullable(ProbabilitySchema),
  trace: Type.Array(TestStepSchema),
});
export type FollowUpClaim = ReadonlyStatic<typeof FollowUpClaimSchema>;

/** Routes of requests that name the workflow of the request before them. */
const FollowUpsSchema = object({
  /** Labelled follow-ups, those among them that no workflow serves, and their conversations. */
  requests: CountSchema,
  out_of_scope: CountSchema,
  conversations: CountSchema,
  /** Those that only end a conversation by the detector, and are answered NO_REQUEST; and wrongly so. */
  closings: CountSchema,
  closings_wrong: CountSchema,
  /** Tiers that follow-ups may be routed to: those without a claim of their own. */
  tiers: Type.Array(Type.Enum([...riskTiers])),
  repeats: FollowUpClaimSchema,
  changes: FollowUpClaimSchema,
});

/** Thresholds of one tier, both null if the tier abstains, and the results of the tested requests in it. */
export const TierCalibrationSchema = object({
  confidence: nullable(ProbabilitySchema),
  margin: nullable(ProbabilitySchema),
  abstain_reason: nullable(Type.Enum([...abstainReasons])),
  /** Target of the tier's separate claim; null if only the overall claim covers it. */
  target_risk: nullable(ProbabilitySchema),
  /** Tested requests that at least one threshold would route to the tier. */
  certify_requests: CountSchema,
  routed: CountSchema,
  errors: CountSchema,
  workflows: CountSchema,
  design_effect: Type.Number({ minimum: 1 }),
  /** Tested requests routed at the shipped threshold and at stricter ones, strictest first. */
  curve: Type.Array(object({ confidence: ProbabilitySchema, routed: CountSchema })),
});

/** Methods that test a claim. */
export const certificationMethods = [
  "fixed-sequence-n-eff-floor",
  "fixed-sequence-weighted-mix",
  "fixed-sequence-weighted-families",
  "sequential-drawn-routes",
] as const;
export type CertificationMethod = (typeof certificationMethods)[number];

/** Results of the certified thresholds at one share of out-of-scope requests; null if nothing is routed. */
export const MixPointSchema = object({
  out_of_scope_share: ProbabilitySchema,
  coverage: nullable(ProbabilitySchema),
  false_route_rate: nullable(ProbabilitySchema),
  /** One-sided, at the joint delta, for this row only. */
  upper_bound: nullable(ProbabilitySchema),
});

/** The traffic that a calibration expects, and the results under other traffic. */
export const TrafficSchema = object({
  /** Whether the share of out-of-scope requests was declared; otherwise it is the share in CERTIFY. */
  declared: Type.Boolean(),
  /** Number of tested requests whose caller may use certain workflows only. Absent: every caller may use all of them. */
  narrowed: Type.Optional(CountSchema),
  /** Results at the expected share. */
  expected: MixPointSchema,
  /** Results for 1% to 60% out-of-scope requests. */
  sensitivity: Type.Array(MixPointSchema),
});

export const FittedOnSchema = object({
  catalog: Sha256Schema,
  dataset: Sha256Schema,
  split: Sha256Schema,
  run: Sha256Schema,
});

/** Further rows of a fit: their texts, their scores over the catalog, and how many were used. */
const fitRows = {
  requests_sha256: Sha256Schema,
  records_sha256: Sha256Schema,
  rows: Type.Integer({ minimum: 1 }),
} as const;
const FitRowsSchema = object(fitRows);

/** Labelled follow-ups of a fit, and the number of this test among those of follow-ups in the same history. */
const FitFollowUpsSchema = object({ ...fitRows, attempt: Type.Integer({ minimum: 1 }) });

/**
 * A test of routes drawn at random from an unlabelled log, at a threshold that was fixed without labels (see
 * calibrate/sequential-test.ts). The plan, which stands in the history since before the first draw was judged, fixes all
 * but the numbers of people and second opinions.
 */
export const DrawnRoutesSchema = object({
  plan_sha256: Sha256Schema,
  threshold: ProbabilitySchema,
  /** `stops[k]`: number of draws at which the test signs with k wrong routes. */
  stops: Type.Array(CountSchema, { minItems: 1 }),
  /** Probability that this test signs at a risk equal to the target, and that of the test before it on this log. */
  delta: ProbabilitySchema,
  spent: ProbabilitySchema,
  /** Share of the log's test half that the threshold routes. */
  routed_share: ProbabilitySchema,
  /** People who judged the draws. */
  people: Type.Integer({ minimum: 1 }),
  /** Draws that a second person judged without seeing the first answer, and how many of these answers differ. */
  second_opinions: CountSchema,
  disagreements: CountSchema,
});
export type DrawnRoutes = ReadonlyStatic<typeof DrawnRoutesSchema>;

/** A failed test of a target, and the wrong routes that weigh most. */
const StopSchema = object({
  errors: CountSchema,
  routed: CountSchema,
  /** Upper limit of the wrong share, and what it would be if the routes below were right. */
  upper_bound: ProbabilitySchema,
  without: ProbabilitySchema,
  /** At most three wrong routes, most confident first; `right` is null for out-of-scope requests. */
  wrong: Type.Array(
    object({
      id: Type.String(),
      right: nullable(WorkflowIdSchema),
      routed: nullable(WorkflowIdSchema),
      confidence: ProbabilitySchema,
    }),
  ),
});

/** Options of a fit. Together with the scored records they determine every byte of the calibration. */
const FitOptionsSchema = object({
  target_risk: ProbabilitySchema,
  /**
   * Targets tested before the planned one, in descending order, each at the first threshold that routes
   * `looser_share` of the routable requests; empty to test only the planned target.
   */
  looser_targets: Type.Array(ProbabilitySchema),
  looser_share: ProbabilitySchema,
  /** Whether each tested request was scored with its family removed from the catalog's examples. */
  left_out: Type.Boolean(),
  /** Target of each tier with a separate claim; null if the overall claim covers the tier. */
  required_tiers: object({
    low: nullable(ProbabilitySchema),
    medium: nullable(ProbabilitySchema),
    high: nullable(ProbabilitySchema),
    critical: nullable(ProbabilitySchema),
  }),
  delta: ProbabilitySchema,
  /** Languages that the claims shall cover; null for those with enough tested requests. */
  languages: nullable(Type.Array(LanguageSchema, { minItems: 1 })),
  /** "language": each language has a claim and a threshold of its own; absent if all share them. */
  require_slices: Type.Optional(Type.Enum([...sliceFields])),
  /**
   * Number of this calibration among those on the same labels: the first is tested at 0.9 delta, the others at
   * 0.6 delta / (pi (attempt - 1))^2; null if it is the only one, at delta.
   */
  attempt: nullable(Type.Integer({ minimum: 1 })),
  claim: Type.Enum([...claimKinds]),
  start_errors: Type.Array(CountSchema, { minItems: 1 }),
  start_icc: ProbabilitySchema,
  /** Number of parts of the cross-fit; with 1, the calibration is fitted on TUNE and tested on CERTIFY. */
  cross_fit: Type.Integer({ minimum: 1 }),
  /** Prescribed calibrator family; null to choose it by held-out loss. */
  calibrator: nullable(Type.Enum([...calibratorFamilyNames])),
  /** Declared share of out-of-scope requests; null for the share among the tested requests. */
  out_of_scope_share: nullable(ProbabilitySchema),
  /** Generic requests from which the calibrator learned what is out of scope; absent if there are none. */
  background: Type.Optional(FitRowsSchema),
  /** Absent if there are none. */
  follow_ups: Type.Optional(FitFollowUpsSchema),
  /** The tested requests are routes drawn from a log; absent for other tests. */
  drawn_routes: Type.Optional(DrawnRoutesSchema),
});
export type FitOptions = ReadonlyStatic<typeof FitOptionsSchema>;

/** Thresholds of each tier, their claims, and the fit that produced them. */
export const CalibrationSchema = object({
  schema_version: Type.Literal(1),
  calibration_version: VersionSchema,
  calibrator: CalibratorSchema,
  calibrator_candidates: Type.Array(CalibratorCandidateSchema),
  tiers: object({
    low: TierCalibrationSchema,
    medium: TierCalibrationSchema,
    high: TierCalibrationSchema,
    critical: TierCalibrationSchema,
  }),
  /** Workflows with evidence, in ascending order; all others are declined. null if every workflow may be routed. */
  certified_workflows: nullable(Type.Array(WorkflowIdSchema)),
  clarify_threshold: ProbabilitySchema,
  min_retrieval_score: Type.Number(),
  /** Languages that routes may be in. Absent if too few tested texts are long enough to tell; then every text passes. */
  languages: Type.Optional(
    object({
      covered: Type.Array(LanguageSchema, { minItems: 1 }),
      /** Minimum confidence of a route in each language; null if its claim is not certified. Absent if all share the thresholds of the tiers. */
      thresholds: Type.Optional(
        Type.Array(object({ language: LanguageSchema, confidence: nullable(ProbabilitySchema) })),
      ),
      /** Labelled requests by language, most first: of those that a text may be in, the one that most of the texts may be in. */
      read: Type.Array(
        object({ language: LanguageSchema, requests: CountSchema, routed: CountSchema, wrong: CountSchema }),
      ),
      /** Labelled requests in scope, and how many of them are declined for their language. */
      requests: CountSchema,
      declined: CountSchema,
    }),
  ),
  /** Absent if no scored request had a sign of two wishes. */
  several_wishes: Type.Optional(
    object({
      /** Log odds; texts above are declined. */
      threshold: Type.Number(),
      /** Labelled requests in scope, and how many of them the threshold declines. */
      single_requests: CountSchema,
      declined: CountSchema,
      /** Upper limit of their share among such requests, 95% confidence. */
      upper_limit: ProbabilitySchema,
      /** Such requests that were joined with one for another workflow, and how many of these texts are declined. */
      joined: CountSchema,
      found: CountSchema,
    }),
  ),
  /** Probability that any of the claims is wrong. */
  joint_delta: ProbabilitySchema,
  claims: Type.Array(ClaimSchema),
  /** Absent if the calibration has no shortlists. */
  shortlist: Type.Optional(ShortlistSchema),
  /** Absent if the fit had no labelled follow-ups; then only a text that agrees by itself is routed. */
  follow_ups: Type.Optional(FollowUpsSchema),
  method: Type.String({ minLength: 1 }),
  /**
   * Whether workflows with higher scores are wrong more often than their scores imply. Claims about new workflows do
   * not cover that.
   */
  rising_risk: nullable(
    object({
      /** Standard normal without rising risk; above 1.645 it indicates rising risk. */
      statistic: Type.Number(),
      /**
       * Probability, on these scores, that the test detects an increase of .8 in log odds per unit of a workflow's
       * risk factor.
       */
      power: ProbabilitySchema,
    }),
  ),
  /** Number of cross-fit parts of TUNE and CERTIFY together; null if fitted on TUNE and tested on CERTIFY. */
  cross_fit: nullable(object({ parts: Type.Integer({ minimum: 2 }), by: Type.Enum(["workflow", "request"]) })),
  population: Type.String(),
  out_of_scope_share: ProbabilitySchema,
  traffic: TrafficSchema,
  digests: FittedOnSchema,
  fit: FitOptionsSchema,
  /**
   * If the planned target is not signed: the next stricter target, and the further labelled requests (and the workflows
   * among them) with which it is certified with the stated probability by simulation: 0.80, or else the largest at up to
   * ten times the present ones; null: below 0.50 at all of them.
   */
  next_step: Type.Optional(
    object({
      target_risk: ProbabilitySchema,
      requests: nullable(CountSchema),
      workflows: CountSchema,
      probability: ProbabilitySchema,
      /** The step at which its test fails; null if too few requests could be routed for a test. */
      stopped_at: nullable(StopSchema),
    }),
  ),
  warnings: Type.Array(Type.String()),
});
export type NextStep = NonNullable<Calibration["next_step"]>;
export type Calibration = ReadonlyStatic<typeof CalibrationSchema>;
export type Claim = ReadonlyStatic<typeof ClaimSchema>;
export type TierCalibration = ReadonlyStatic<typeof TierCalibrationSchema>;
export type Traffic = Calibration["traffic"];
export type MixPoint = Traffic["expected"];
export type TestStep = ReadonlyStatic<typeof TestStepSchema>;

/** Tiers that a tested request could be routed to or that have their own claim, in ascending order of risk; pages show no others. */
export const usedTiers = ({ tiers }: Pick<Calibration, "tiers">): readonly RiskTier[] =>
  riskTiers.filter((tier) => tiers[tier].certify_requests > 0 || tiers[tier].target_risk !== null);
