import { Type } from "../base/typebox.js";
import { object, CountSchema, nullable, ProbabilitySchema, type ReadonlyStatic } from "./primitives.js";

/** A proportion with its counts. If undefined, it is null with a reason, never 0 or NaN. */
export const RateSchema = object({
  /** Events and trials: integers, 0 <= k <= n. */
  k: CountSchema,
  n: CountSchema,
  /** Clusters with at least one trial; `cluster` of the evaluation says what one is. */
  clusters: CountSchema,
  estimate: nullable(ProbabilitySchema),
  null_reason: nullable(Type.Literal("EMPTY_DENOMINATOR")),
  method: Type.Enum(["clopper-pearson", "cp-neff"]),
  sides: Type.Literal(2),
  confidence: ProbabilitySchema,
  lower: nullable(ProbabilitySchema),
  upper: nullable(ProbabilitySchema),
  icc: nullable(Type.Number()),
  design_effect: nullable(Type.Number()),
  effective_n: nullable(Type.Number()),
});
export type Rate = ReadonlyStatic<typeof RateSchema>;
