import { Type } from "../base/typebox.js";
import { canonicalBytes } from "../base/canonical-json.js";
import { checkSchema } from "./check-schema.js";
import { attributionBuckets, folds, riskTiers } from "./choices.js";
import { populations } from "./population.js";
import { object, CountSchema, nullable, ProbabilitySchema, type ReadonlyStatic, Sha256Schema } from "./primitives.js";
import { RateSchema } from "./rate.js";

const number = Type.Number();
const text = Type.String();

const defined = { value: number, n: CountSchema, null_reason: Type.Null() };
const undefinedNumber = { value: Type.Null(), n: CountSchema, null_reason: text };

/** A number, or the reason why it is undefined. */
const MeasuredSchema = Type.Union([object(defined), object(undefinedNumber)]);
export type Measured = ReadonlyStatic<typeof MeasuredSchema>;

/** Two-sided percentile interval from resampling whole clusters with replacement. */
const BandSchema = object({
  method: Type.Literal("cluster-bootstrap"),
  confidence: ProbabilitySchema,
  lower: number,
  upper: number,
  /** Resamples in which the number is defined; in the `dropped` ones it is not. */
  resamples: CountSchema,
  dropped: CountSchema,
});
export type Band = ReadonlyStatic<typeof BandSchema>;

/**
 * A number with its number of clusters and its band; the band is null if the number is undefined or no band was
 * requested.
 */
const banded = { clusters: CountSchema, band: nullable(BandSchema) };
const EstimateSchema = Type.Union([object({ ...defined, ...banded }), object({ ...undefinedNumber, ...banded })]);
export type Estimate = ReadonlyStatic<typeof EstimateSchema>;

/** How often routing was the wrong decision; the denominators of the rates differ. */
const RiskSchema = object({
  /** Wrongly routed share of all requests. */
  joint_risk: RateSchema,
  /**
   * The two parts of the selective risk: the share of routed requests that were out of scope, and the share sent to a
   * wrong workflow.
   */
  out_of_scope_of_routed: RateSchema,
  wrong_workflow_of_routed: RateSchema,
  /** Wrongly routed share of the in-scope requests. */
  in_scope_wrong: RateSchema,
});
export type RiskDetail = ReadonlyStatic<typeof RiskSchema>;

/** Areas under the risk-coverage curve of the top candidate's confidence. */
const CurveSchema = object({
  aurc: EstimateSchema,
  augrc: EstimateSchema,
});
export type CurveDetail = ReadonlyStatic<typeof CurveSchema>;

/** How well the confidence of the top candidate matches the probability that it is right. */
const CalibrationDetailSchema = object({
  /** Expected calibration error over ten bins of equal width. */
  equal_width_error: EstimateSchema,
  brier: EstimateSchema,
  /** Natural log, probabilities clipped at 1e-15. */
  log_loss: EstimateSchema,
});
export type CalibrationDetail = ReadonlyStatic<typeof CalibrationDetailSchema>;

/**
 * How well the match logit of the top candidate separates in-scope from out-of-scope requests; in scope is the positive
 * class.
 */
const OutOfScopeSchema = object({
  auroc: EstimateSchema,
  /** Share of out-of-scope requests accepted at the threshold that accepts at least 95% of the in-scope ones. */
  false_positive_at_95: EstimateSchema,
  /**
   * The same for near and far out-of-scope requests separately, because their mean depends on the size of each group.
   */
  apart: Type.Array(
    object({
      population: Type.Enum([...populations]),
      auroc: MeasuredSchema,
      false_positive_at_95: MeasuredSchema,
      routed: RateSchema,
    }),
  ),
});
export type OutOfScopeDetail = ReadonlyStatic<typeof OutOfScopeSchema>;

/** In-scope requests only. */
const RetrievalSchema = object({
  depths: Type.Array(
    object({
      k: CountSchema,
      /** Over the whole catalog. */
      recall: RateSchema,
      /**
       * Among the candidates that the caller may use; a gold workflow that the caller may not use counts as missed.
       */
      eligible_recall: RateSchema,
    }),
  ),
  mean_reciprocal_rank: EstimateSchema,
});
export type RetrievalDetail = ReadonlyStatic<typeof RetrievalSchema>;

const ClarificationSchema = object({
  /** Share of clarifications that concern the right workflow and ask for an input labelled as missing. */
  precision: RateSchema,
  /** Share of requests labelled with a missing input that got a clarification that `precision` counts as right. */
  recall: RateSchema,
  /** Share of inputs labelled as missing that were asked for. */
  missing_input_recall: RateSchema,
});
export type ClarificationDetail = ReadonlyStatic<typeof ClarificationSchema>;

/** Where requests are lost; rows sum to `requests`. */
const AttributionSchema = object({
  requests: CountSchema,
  /** Requests in one bucket, by decision. */
  rows: Type.Array(
    object({
      bucket: Type.Enum([...attributionBuckets]),
      requests: CountSchema,
      routed: CountSchema,
      asked: CountSchema,
      declined: CountSchema,
    }),
  ),
  /** In-scope requests routed to a wrong workflow; each is in the bucket of the first stage that failed. */
  wrong_routes: CountSchema,
  counterfactuals: Type.Array(
    object({
      perfect: Type.Enum(["retriever", "verifier", "threshold"]),
      coverage: RateSchema,
      selective_risk: RateSchema,
      /** Share of in-scope requests that were routed to the right workflow. */
      in_scope_right: RateSchema,
    }),
  ),
});
export type Attribution = ReadonlyStatic<typeof AttributionSchema>;
export type Counterfactual = Attribution["counterfactuals"][number];

/** The slices of the languages that have a claim each: the language whose threshold decides a request. */
export const languageDimension = "language of the claim";

/** The main metrics of one group of requests. */
const SliceSchema = object({
  /** "tier" (of the top candidate), "workflow" (gold), "population", `languageDimension`, or the name of a slice of the dataset. */
  dimension: text,
  value: text,
  requests: CountSchema,
  workflows: CountSchema,
  coverage: RateSchema,
  selective_risk: RateSchema,
  joint_risk: RateSchema,
  verified_top1: RateSchema,
  equal_width_error: MeasuredSchema,
});
export type SliceEvaluation = ReadonlyStatic<typeof SliceSchema>;

const TierSchema = object({
  tier: Type.Enum([...riskTiers]),
  routed: RateSchema,
  /** Share of routed requests that went to a wrong workflow. */
  selective_risk: RateSchema,
  target_risk: nullable(number),
  threshold: nullable(number),
  margin_threshold: nullable(number),
});
export type TierEvaluation = ReadonlyStatic<typeof TierSchema>;

/** One point of the risk-coverage curve, in descending order of threshold; coverage and risk are in [0, 1]. */
const RiskCoveragePointSchema = object({
  threshold: number,
  accepted: CountSchema,
  errors: CountSchema,
  coverage: number,
  selective_risk: number,
});
export type RiskCoveragePoint = ReadonlyStatic<typeof RiskCoveragePointSchema>;

/** One bin of the reliability diagram, in ascending order; empty bins are omitted. */
const ReliabilityBinSchema = object({
  lower: number,
  upper: number,
  n: CountSchema,
  correct: CountSchema,
  mean_confidence: number,
  accuracy: number,
  accuracy_lower: number,
  accuracy_upper: number,
});
export type ReliabilityBin = ReadonlyStatic<typeof ReliabilityBinSchema>;

/** Intervals, curves, slices and every other number behind the rates of an evaluation. */
const DetailSchema = object({
  /** Number of cluster-bootstrap resamples for the bands, and their seed; 0 for no bands. */
  resamples: CountSchema,
  seed: CountSchema,
  risk: RiskSchema,
  curve: CurveSchema,
  calibration: CalibrationDetailSchema,
  out_of_scope: OutOfScopeSchema,
  retrieval: RetrievalSchema,
  clarification: ClarificationSchema,
  /** null without a calibration. */
  attribution: nullable(AttributionSchema),
  slices: Type.Array(SliceSchema),
});
export type EvaluationDetail = ReadonlyStatic<typeof DetailSchema>;

/** `evidence/evaluation.json`: every number of one fold of one run. */
const EvaluationSchema = object({
  schema_version: Type.Literal(1),
  run_sha256: Sha256Schema,
  /** null without a calibration: metrics that need thresholds are then null or empty. */
  calibration_sha256: nullable(Sha256Schema),
  fold: Type.Enum([...folds, "all"]),
  /**
   * What intervals count as one where its requests resemble each other: a gold workflow, or a family of similar requests
   * where the claim is about this catalog; in both cases, or an out-of-scope group.
   */
  cluster: Type.Enum(["workflow", "family"]),
  requests: CountSchema,
  in_scope: CountSchema,
  out_of_scope: CountSchema,
  scoring_errors: CountSchema,
  workflows: CountSchema,
  retrieval: object({ top1: RateSchema, recall_at_5: RateSchema, recall_at_k: RateSchema }),
  /** Share of in-scope requests whose first candidate after verification is right. */
  verified_top1: RateSchema,
  decisions: object({ ROUTE: CountSchema, CLARIFY: CountSchema, LLM_REQUIRED: CountSchema }),
  reasons: Type.Array(object({ reason_code: text, count: CountSchema })),
  coverage: RateSchema,
  in_scope_coverage: RateSchema,
  selective_risk: RateSchema,
  out_of_scope_routed: RateSchema,
  tiers: Type.Array(TierSchema),
  risk_coverage: Type.Array(RiskCoveragePointSchema),
  reliability: Type.Array(ReliabilityBinSchema),
  detail: DetailSchema,
});
export type Evaluation = ReadonlyStatic<typeof EvaluationSchema>;

/** Canonical bytes of an evaluation; equal evaluations give equal bytes. */
export const evaluationBytes = (evaluation: Evaluation): Buffer => canonicalBytes(evaluation);

/**
 * Reads an evaluation document.
 * @param what  name of the document in messages, e.g. a file path
 * @throws {SluiceError} DOCUMENT_INVALID
 */
export const readEvaluation = (document: unknown, what: string): Evaluation =>
  checkSchema(EvaluationSchema, document, what);
