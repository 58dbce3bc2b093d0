import { type Static, Type } from "typebox";
import { closed, CountSchema, Sha256Schema, WorkflowIdSchema } from "./primitives.js";

/** FIT: models and calibrators. TUNE: path of thresholds. CERTIFY: the tests, once. EVAL: the report. */
export const folds = ["fit", "tune", "certify", "eval"] as const;
export type Fold = (typeof folds)[number];

const FoldSchema = Type.Object(
  { clusters: Type.Array(Type.String()), requests: CountSchema, workflows: CountSchema, out_of_scope: CountSchema },
  closed,
);

/** Clusters (see `clusterOf`) of each fold; folds share no cluster. Clusters are sorted. */
export const SplitSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    dataset_sha256: Sha256Schema,
    catalog_sha256: Sha256Schema,
    seed: CountSchema,
    disjoint_by: Type.Literal("workflow"),
    fractions: Type.Object(
      { fit: Type.Number(), tune: Type.Number(), certify: Type.Number(), eval: Type.Number() },
      closed,
    ),
    folds: Type.Object({ fit: FoldSchema, tune: FoldSchema, certify: FoldSchema, eval: FoldSchema }, closed),
    /** Workflows that were taken out of the catalog: their requests are near out-of-scope. Sorted; absent for none. */
    removed_workflows: Type.Optional(Type.Array(WorkflowIdSchema)),
  },
  closed,
);
export type SplitWire = Static<typeof SplitSchema>;
