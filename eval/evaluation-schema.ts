import { type Static, type TSchema, Type } from "typebox";
import { riskTiers } from "../src/domain/choices.js";
import { type ReasonCode, reasonCodes } from "../src/domain/decision.js";
import { attributionBuckets } from "../src/domain/evaluation.js";
import { populations } from "../src/domain/population.js";
import { closed, CountSchema, ProbabilitySchema, Sha256Schema } from "../src/domain/primitives.js";
import { folds } from "../src/domain/choices.js";

const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const number = Type.Number();
const text = Type.String();
const tier = Type.Enum([...riskTiers]);
const reason = Type.Enum(Object.keys(reasonCodes) as ReasonCode[]);

const rate = Type.Object(
  {
    k: CountSchema,
    n: CountSchema,
    workflows: CountSchema,
    estimate: nullable(ProbabilitySchema),
    null_reason: nullable(Type.Literal("EMPTY_DENOMINATOR")),
    method: Type.Enum(["clopper-pearson", "cp-neff"]),
    sides: Type.Literal(2),
    confidence: ProbabilitySchema,
    lower: nullable(ProbabilitySchema),
    upper: nullable(ProbabilitySchema),
    icc: nullable(number),
    design_effect: nullable(number),
    effective_n: nullable(number),
  },
  closed,
);

const defined = { value: number, n: CountSchema, null_reason: Type.Null() };
const undefinedNumber = { value: Type.Null(), n: CountSchema, null_reason: text };
const measured = Type.Union([Type.Object(defined, closed), Type.Object(undefinedNumber, closed)]);

const band = Type.Object(
  {
    method: Type.Literal("cluster-bootstrap"),
    confidence: ProbabilitySchema,
    lower: number,
    upper: number,
    resamples: CountSchema,
    dropped: CountSchema,
  },
  closed,
);
const banded = { workflows: CountSchema, band: nullable(band) };
const estimate = Type.Union([
  Type.Object({ ...defined, ...banded }, closed),
  Type.Object({ ...undefinedNumber, ...banded }, closed),
]);

const risk = Type.Object(
  {
    joint_risk: rate,
    out_of_scope_of_routed: rate,
    wrong_workflow_of_routed: rate,
    in_scope_wrong: rate,
    selective_risk_intervals: Type.Array(
      Type.Object(
        {
          method: Type.Enum([
            "cp-neff",
            "korn-graubard",
            "cluster-t",
            "cluster-bootstrap",
            "clopper-pearson",
            "wilson",
          ]),
          assumes: text,
          lower: nullable(number),
          upper: nullable(number),
        },
        closed,
      ),
    ),
    macro_risk: estimate,
    without_one_workflow: nullable(Type.Object({ lower: number, upper: number }, closed)),
    prevalence_adjusted: Type.Array(
      Type.Object({ out_of_scope_share: number, value: nullable(number), upper: nullable(number) }, closed),
    ),
  },
  closed,
);

const curve = Type.Object(
  {
    aurc: estimate,
    excess_aurc: estimate,
    augrc: estimate,
    risk_at_coverage: Type.Array(
      Type.Object({ coverage: number, achieved: nullable(number), threshold: nullable(number), risk: rate }, closed),
    ),
    coverage_at_risk: Type.Array(
      Type.Object({ risk: number, coverage: estimate, threshold: nullable(number) }, closed),
    ),
  },
  closed,
);

const calibration = Type.Object(
  {
    equal_width_error: estimate,
    equal_mass_error: estimate,
    brier: estimate,
    log_loss: estimate,
  },
  closed,
);

const outOfScope = Type.Object(
  {
    prevalence: nullable(number),
    auroc: estimate,
    precision_in_scope: estimate,
    precision_out_of_scope: estimate,
    false_positive_at_95: estimate,
    apart: Type.Array(
      Type.Object(
        { population: Type.Enum([...populations]), auroc: measured, false_positive_at_95: measured, routed: rate },
        closed,
      ),
    ),
  },
  closed,
);

const retrieval = Type.Object(
  {
    depths: Type.Array(Type.Object({ k: CountSchema, recall: rate, eligible_recall: rate }, closed)),
    mean_reciprocal_rank: estimate,
    eligible_mean_reciprocal_rank: estimate,
  },
  closed,
);

const attribution = Type.Object(
  {
    requests: CountSchema,
    rows: Type.Array(
      Type.Object(
        {
          bucket: Type.Enum([...attributionBuckets]),
          requests: CountSchema,
          routed: CountSchema,
          asked: CountSchema,
          declined: CountSchema,
        },
        closed,
      ),
    ),
    wrong_routes: CountSchema,
    counterfactuals: Type.Array(
      Type.Object(
        {
          perfect: Type.Enum(["retriever", "verifier", "threshold"]),
          coverage: rate,
          selective_risk: rate,
          in_scope_right: rate,
        },
        closed,
      ),
    ),
  },
  closed,
);

const slice = Type.Object(
  {
    dimension: text,
    value: text,
    requests: CountSchema,
    workflows: CountSchema,
    coverage: rate,
    selective_risk: rate,
    joint_risk: rate,
    verified_top1: rate,
    recall_at_k: rate,
    aurc: measured,
    equal_width_error: measured,
    brier: measured,
  },
  closed,
);

const detail = Type.Object(
  {
    resamples: CountSchema,
    seed: CountSchema,
    risk,
    curve,
    calibration,
    out_of_scope: outOfScope,
    retrieval,
    clarification: Type.Object({ precision: rate, recall: rate, missing_input_recall: rate }, closed),
    attribution: nullable(attribution),
    slices: Type.Array(slice),
    guards: Type.Optional(
      Type.Array(
        Type.Object(
          {
            guard_id: text,
            reason_code: reason,
            enabled: Type.Boolean(),
            stopped_sha256: Sha256Schema,
            in_scope_declined: rate,
            out_of_scope_declined: rate,
          },
          closed,
        ),
      ),
    ),
  },
  closed,
);

/** `evidence/evaluation.json`: every number of one fold of one run. */
export const EvaluationSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    run_sha256: Sha256Schema,
    calibration_sha256: nullable(Sha256Schema),
    fold: Type.Enum([...folds, "all"]),
    requests: CountSchema,
    in_scope: CountSchema,
    out_of_scope: CountSchema,
    example_errors: CountSchema,
    workflows: CountSchema,
    retrieval: Type.Object(
      { top1: rate, recall_at_5: rate, recall_at_k: rate, mean_reciprocal_rank: measured },
      closed,
    ),
    verified_top1: rate,
    decisions: Type.Object({ ROUTE: CountSchema, CLARIFY: CountSchema, LLM_REQUIRED: CountSchema }, closed),
    reasons: Type.Array(Type.Object({ reason_code: text, count: CountSchema }, closed)),
    coverage: rate,
    in_scope_coverage: rate,
    selective_risk: rate,
    out_of_scope_routed: rate,
    clarify_precision: rate,
    aurc: measured,
    expected_calibration_error: measured,
    brier: measured,
    out_of_scope_auroc: measured,
    tiers: Type.Array(
      Type.Object(
        {
          tier,
          routed: rate,
          selective_risk: rate,
          target_risk: nullable(number),
          threshold: nullable(number),
          margin_threshold: nullable(number),
        },
        closed,
      ),
    ),
    risk_coverage: Type.Array(
      Type.Object(
        { threshold: number, accepted: CountSchema, errors: CountSchema, coverage: number, selective_risk: number },
        closed,
      ),
    ),
    reliability: Type.Array(
      Type.Object(
        {
          lower: number,
          upper: number,
          n: CountSchema,
          correct: CountSchema,
          mean_confidence: number,
          accuracy: number,
          accuracy_lower: number,
          accuracy_upper: number,
        },
        closed,
      ),
    ),
    detail: Type.Optional(detail),
  },
  closed,
);
export type EvaluationWire = Static<typeof EvaluationSchema>;
