import { Type } from "../base/typebox.js";
import type { ReasonCode, ScoredCandidate } from "./decision.js";
import type { Population } from "./population.js";
import type { Fold } from "./choices.js";
import { closed, CountSchema, type ReadonlyStatic, Sha256Schema, type WorkflowId } from "./primitives.js";

/**
 * One labelled request with its scores before thresholds: all inputs of `decide()`. Metrics, calibration and reports
 * are computed from these records alone.
 */
export interface ScoredRecord {
  readonly id: string;
  /** Gold workflow, null when the request is out of scope or its workflow was removed from the catalog. */
  readonly workflow_id: WorkflowId | null;
  /** See `clusterOf`. */
  readonly cluster: string;
  /** Requests that are not independent evidence; see `familyOfRows`. Absent: the request has no relative. */
  readonly family?: string;
  readonly fold: Fold;
  readonly population: Population;
  readonly slices: Readonly<Record<string, string>>;
  /** Labelled missing inputs, null when the dataset does not label them. */
  readonly expected_missing: readonly string[] | null;
  /** In retrieval order, with eligible and ineligible competitors together; decision order is applied later. */
  readonly candidates: readonly ScoredCandidate[];
  /** Set when the pipeline ended before candidates were scored. */
  readonly early_reason: ReasonCode | null;
  /** Error code when scoring failed. Such a record is counted and never scored as right or wrong. */
  readonly error_code: string | null;
  /** 1-based rank of the gold workflow in the retriever's ranking, null when missing or out of scope. */
  readonly gold_rank: number | null;
}

/** Digests of everything that determines the records of a run. */
export const scoringInputFields = {
  catalog_sha256: Sha256Schema,
  dataset_sha256: Sha256Schema,
  split_sha256: Sha256Schema,
  policy_sha256: Sha256Schema,
  retriever_sha256: Sha256Schema,
  verifier_sha256: Sha256Schema,
  /** Golden digest of the serializer. */
  serializer_sha256: Sha256Schema,
} as const;

/** The record of one scoring run; its rows are the Arrow table named by `records_sha256`. */
export const RunSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    kind: Type.Literal("scored"),
    ...scoringInputFields,
    model_version: Type.String(),
    records_sha256: Sha256Schema,
    requests: CountSchema,
    scoring_errors: CountSchema,
    top_k: CountSchema,
  },
  closed,
);
export type Run = ReadonlyStatic<typeof RunSchema>;

/** The record of a run that was made from another system's predictions: it has no models, catalog or dataset. */
export const ImportedRunSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    kind: Type.Literal("imported"),
    /** Digest of the file of predictions. */
    source_sha256: Sha256Schema,
    /** Name of the predicting system, as given to the importer. */
    model_version: Type.String(),
    records_sha256: Sha256Schema,
    requests: CountSchema,
    scoring_errors: CountSchema,
    /** Rows of the file without a label; no figure counts them. */
    unlabelled: CountSchema,
    top_k: CountSchema,
  },
  closed,
);
export type ImportedRun = ReadonlyStatic<typeof ImportedRunSchema>;
