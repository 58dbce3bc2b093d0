import { Type } from "../base/typebox.js";
import { object, CountSchema, nullable, ProbabilitySchema, type ReadonlyStatic } from "./primitives.js";

/** Events and trials, integers with 0 <= k <= n, and their ratio; null without trials. */
export interface Share {
  readonly k: number;
  readonly n: number;
  readonly estimate: number | null;
}

export const shareOf = (k: number, n: number): Share => ({ k, n, estimate: n === 0 ? null : k / n });

/**
 * A proportion with its counts. If undefined, it is null with a reason, never 0 or NaN. Wrong routes of requests that
 * tested a claim have the claim's own limit (`claim`, one-sided, no lower end), or none if no claim counts the same.
 */
export const RateSchema = object({
  /** Events and trials: integers, 0 <= k <= n. */
  k: CountSchema,
  n: CountSchema,
  /** Clusters with at least one trial; `cluster` of the evaluation says what one is. */
  clusters: CountSchema,
  estimate: nullable(ProbabilitySchema),
  null_reason: nullable(Type.Literal("EMPTY_DENOMINATOR")),
  method: Type.Enum(["clopper-pearson", "cp-neff", "claim", "none"]),
  sides: Type.Enum([1, 2]),
  confidence: ProbabilitySchema,
  lower: nullable(ProbabilitySchema),
  upper: nullable(ProbabilitySchema),
  icc: nullable(Type.Number()),
  design_effect: nullable(Type.Number()),
  effective_n: nullable(Type.Number()),
});
export type Rate = ReadonlyStatic<typeof RateSchema>;
