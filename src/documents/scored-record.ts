import { Type } from "../base/typebox.js";
import type { ReasonCode, ScoredText } from "./decision.js";
import type { Population } from "./population.js";
import type { Fold } from "./choices.js";
import { object, CountSchema, type ReadonlyStatic, Sha256Schema, type WorkflowId } from "./primitives.js";

/**
 * One labelled request with its scores before thresholds: all inputs of `decide()`. Metrics, calibration and reports
 * use nothing else.
 */
export interface ScoredRecord extends ScoredText {
  readonly id: string;
  /** Gold workflow; null if the request is out of scope or its workflow was removed from the catalog. */
  readonly workflow_id: WorkflowId | null;
  /** See `clusterOf`. */
  readonly cluster: string;
  /**
   * Shared by requests that resemble each other, so that none is an example while another is tested; see `kinOfRows`.
   * Absent for a request without relatives.
   */
  readonly family?: string;
  /** Shared by the near-copies of a family, which count as one request. Absent for a request without near-copies. */
  readonly near_copy?: string;
  readonly fold: Fold;
  readonly population: Population;
  readonly slices: Readonly<Record<string, string>>;
  /** See the field of a dataset row. */
  readonly wrong_before?: number;
  /** Whether the caller of this request may use certain workflows only. Absent: all of them. */
  readonly narrowed?: true;
  /** Inputs labelled as missing; null if the dataset does not label them. */
  readonly expected_missing: readonly string[] | null;
  /** In retrieval order; decision order is applied later. */
  readonly candidates: ScoredText["candidates"];
  /**
   * Log odds of two wishes in the text of this request joined with one for another workflow; -1000 without a sign of them.
   * Absent for a request that was not joined.
   */
  readonly joined?: number;
  /** Set if the pipeline ended before candidates were scored. */
  readonly early_reason: ReasonCode | null;
  /** Error code if scoring failed. Such a record is counted, but is neither right nor wrong. */
  readonly error_code: string | null;
  /** 1-based rank of the gold workflow in the retriever's ranking; null if missing or out of scope. */
  readonly gold_rank: number | null;
}

/** Digests of everything that determines the scores of a run. */
export const scoringInputFields = {
  catalog_sha256: Sha256Schema,
  dataset_sha256: Sha256Schema,
  split_sha256: Sha256Schema,
  policy_sha256: Sha256Schema,
  retriever_sha256: Sha256Schema,
  verifier_sha256: Sha256Schema,
  /** Digest of the serializer's output for the golden workflows. */
  serializer_sha256: Sha256Schema,
} as const;

/** One scoring run; its rows are in the Arrow table with the digest `records_sha256`. */
export const RunSchema = object({
  schema_version: Type.Literal(1),
  kind: Type.Literal("scored"),
  ...scoringInputFields,
  model_version: Type.String(),
  records_sha256: Sha256Schema,
  requests: CountSchema,
  scoring_errors: CountSchema,
  top_k: CountSchema,
});
export type Run = ReadonlyStatic<typeof RunSchema>;

/** A run imported from another system's predictions, without models, catalog or dataset. */
export const ImportedRunSchema = object({
  schema_version: Type.Literal(1),
  kind: Type.Literal("imported"),
  /** Digest of the predictions file. */
  source_sha256: Sha256Schema,
  /** Name of the predicting system, as given to the importer. */
  model_version: Type.String(),
  records_sha256: Sha256Schema,
  requests: CountSchema,
  scoring_errors: CountSchema,
  /** Number of rows without a label in the file; no metric counts them. */
  unlabelled: CountSchema,
  top_k: CountSchema,
});
export type ImportedRun = ReadonlyStatic<typeof ImportedRunSchema>;
