import { Type } from "../../src/base/typebox.js";
import {
  CountSchema,
  nullable,
  object,
  ProbabilitySchema,
  type ReadonlyStatic,
  Sha256Schema,
  WorkflowIdSchema,
} from "../../src/documents/primitives.js";

/** What a click was for: to choose an example, to test a drawn route, or to judge one a second time. */
export const clickPhases = ["example", "test", "second"] as const;
export type ClickPhase = (typeof clickPhases)[number];

/** One judgement of a request of a log. Its author and time are those of the history entry. */
export const ClickSchema = object({
  schema_version: Type.Literal(1),
  log_sha256: Sha256Schema,
  /** Seed that divides the log. */
  seed: CountSchema,
  /** Number of this click on the log, from 1. */
  number: Type.Integer({ minimum: 1 }),
  phase: Type.Enum([...clickPhases]),
  row: Type.String({ minLength: 1, maxLength: 160 }),
  /** "undo" withdraws the latest judgement of the row. */
  answer: Type.Enum(["workflow", "none", "unsure", "undo"]),
  workflow_id: nullable(WorkflowIdSchema),
  /** Position of the workflow among the candidates, from 1; null if it is not among them or was not shown. */
  rank: nullable(Type.Integer({ minimum: 1 })),
  /** Whether another system answered; see `sluice label --judge`. */
  judged: Type.Boolean(),
});
export type Click = ReadonlyStatic<typeof ClickSchema>;

/**
 * Plan of a test, saved before its first click: the frozen router, the threshold, the table and the draws. A second test
 * on the same log is the last one.
 */
export const DrawPlanSchema = object({
  schema_version: Type.Literal(1),
  log_sha256: Sha256Schema,
  stage: Type.Enum([1, 2]),
  catalog_sha256: Sha256Schema,
  /** Run over the examples, from which the calibrator is learned. */
  run_sha256: Sha256Schema,
  seed: CountSchema,
  target_risk: ProbabilitySchema,
  delta: ProbabilitySchema,
  spent: ProbabilitySchema,
  threshold: ProbabilitySchema,
  routed_share: ProbabilitySchema,
  stops: Type.Array(CountSchema, { minItems: 1 }),
  /** Rows of the log in the order in which they are judged, and where the frozen router routes them. */
  draws: Type.Array(object({ row: Type.String(), routed: WorkflowIdSchema }), { minItems: 1 }),
});
export type DrawPlan = ReadonlyStatic<typeof DrawPlanSchema>;
