import { type Static, Type } from "../base/typebox.js";
import { clusterOf, type LabelledRequest } from "./dataset.js";
import { object, CountSchema, Sha256Schema, WorkflowIdSchema } from "./primitives.js";
import type { Fold } from "./choices.js";

const FoldSchema = object({
  clusters: Type.Array(Type.String()),
  requests: CountSchema,
  workflows: CountSchema,
  out_of_scope: CountSchema,
});
/**
 * Clusters (see `clusterOf`) of each fold, sorted. No cluster is in two folds. A split by request lists `row:ID` for
 * every row.
 */
const FoldsSchema = object({ fit: FoldSchema, tune: FoldSchema, certify: FoldSchema, eval: FoldSchema });
export type Folds = Static<typeof FoldsSchema>;

/**
 * Workflows that the split removed from the catalog; the split's `catalog_sha256` is the digest of the reduced catalog.
 */
const RemovedSchema = object({ from_catalog_sha256: Sha256Schema, workflows: Type.Array(WorkflowIdSchema) });

/** Repeated cross-validation: in each repeat, every part of the data is EVAL once. */
const CrossValidationSchema = object({
  parts: CountSchema,
  repeats: CountSchema,
  /** Ordered by repeat, then by rotation; the folds of the split are those of the first assignment. */
  assignments: Type.Array(object({ repeat: CountSchema, rotation: CountSchema, folds: FoldsSchema })),
});

export const SplitSchema = object({
  schema_version: Type.Literal(1),
  dataset_sha256: Sha256Schema,
  catalog_sha256: Sha256Schema,
  seed: CountSchema,
  /**
   * What no two folds share: "workflow", or also "domain", "service", "group" or the name of a slice. With "request"
   * and "role", folds share workflows, so that only claims about the same workflows are possible. "left-out":
   * likewise, and every row is scored over the catalog without the examples of its family.
   */
  disjoint_by: Type.String({ minLength: 1, maxLength: 160 }),
  fractions: object({ fit: Type.Number(), tune: Type.Number(), certify: Type.Number(), eval: Type.Number() }),
  folds: FoldsSchema,
  /**
   * Row ids of each family with more than one row (see `familiesOf`), sorted. All rows of a family are in the same
   * fold.
   */
  families: Type.Array(Type.Array(Type.String(), { minItems: 2 })),
  /** Row ids of each group of near-copies with more than one row, sorted: the part of a family that counts as one request. */
  near_copies: Type.Array(Type.Array(Type.String(), { minItems: 2 })),
  /**
   * Groups of texts with the same label whose vectors have a cosine of at least .9, including catalog examples. Each
   * text is given by the first 16 hexadecimal digits of the SHA-256 of label, line feed and normalised text. The
   * texts of a group belong to one family.
   */
  alike: Type.Optional(Type.Array(Type.Array(Type.String(), { minItems: 2 }))),
  /** Split of an earlier version of the dataset, from which rows and workflows keep their folds. */
  follows: Type.Optional(Sha256Schema),
  /**
   * Number of rows that were removed from the data after their scores were seen. They remain test rows with their old
   * texts and labels.
   */
  retained: Type.Optional(CountSchema),
  /**
   * Labels that their owner withdrew as wrong; their rows are in no fold. `workflow_id` is the label that was tested
   * last, otherwise the label of the row; null: out of scope.
   */
  withdrawn: Type.Optional(
    Type.Array(
      object({
        id: Type.String(),
        workflow_id: Type.Union([WorkflowIdSchema, Type.Null()]),
        reason: Type.String({ minLength: 1 }),
      }),
    ),
  ),
  /**
   * Number of rows that count as wrong, because an earlier calibration routed them wrongly and data or workflows were
   * edited since.
   */
  wrong_before: Type.Optional(CountSchema),
  /** Held-out rows that were edited after a run had shown their outcome, each with the label that it had. */
  held_out_changes: Type.Optional(
    Type.Array(
      object({
        id: Type.String(),
        workflow_id: Type.Union([WorkflowIdSchema, Type.Null()]),
        change: Type.Enum(["relabelled", "reworded", "deleted"]),
      }),
    ),
  ),
  /** Workflows that left the catalog and were merged: their tested requests now belong to another workflow. */
  merged: Type.Optional(Type.Array(object({ from: WorkflowIdSchema, into: WorkflowIdSchema, requests: CountSchema }))),
  /** Digest of the clusters that stayed in FIT because models had been fitted on them. */
  kept_fit_sha256: Type.Optional(Sha256Schema),
  /** Removed workflows in ascending order; their requests count as near out-of-scope. */
  removed: Type.Optional(RemovedSchema),
  cross_validation: Type.Optional(CrossValidationSchema),
});
export type Split = Static<typeof SplitSchema>;

/** Fold of a row. @param folds  fold of every cluster, or of every row, in the split */
export function foldOfRow(
  row: Pick<LabelledRequest, "id" | "workflow_id" | "group_id">,
  folds: ReadonlyMap<string, Fold>,
): Fold | undefined {
  return folds.get(`row:${row.id}`) ?? folds.get(clusterOf(row));
}

/** Workflows that a split removed from the catalog; empty for most splits. */
export function removedWorkflows(split: Pick<Split, "removed">): ReadonlySet<string> {
  return new Set(split.removed?.workflows ?? []);
}

/** Family and near-copies of a row, each named by its first row; absent if it has none. */
export interface Kin {
  readonly family?: string;
  readonly near_copy?: string;
}

/** The relatives of each row that has any, by row id. */
export function kinOfRows({ families, near_copies: copies }: Pick<Split, "families" | "near_copies">) {
  const named = (groups: readonly (readonly string[])[]) =>
    new Map(groups.flatMap((members) => members.map((id) => [id, members[0] ?? id] as const)));
  const copyOf = named(copies);
  return new Map<string, Kin>(
    [...named(families)].map(([id, family]) => {
      const copy = copyOf.get(id);
      return [id, copy === undefined ? { family } : { family, near_copy: copy }];
    }),
  );
}
