import { Type } from "../base/typebox.js";
import { calibratorFamilyNames } from "./choices.js";
import { object, CountSchema, type ReadonlyStatic } from "./primitives.js";

/** Size of the training data: requests with a first candidate, and those whose first candidate was wrong. */
const fittedOn = { fitted_requests: CountSchema, fitted_errors: CountSchema };

/** confidence = sigma(slope * z + intercept), z = log(P(match) / P(mismatch)) of the verifier. Identity: slope 1, intercept 0. */
const LinearSchema = object({
  family: Type.Enum(["identity", "platt"]),
  slope: Type.Number({ minimum: 0 }),
  intercept: Type.Number(),
  ...fittedOn,
});

/** Weights of the features of a request; see `requestFeatures` in src/router/policy. */
const WeightsSchema = object({
  logit: Type.Number({ minimum: 0 }),
  margin: Type.Number(),
  retrieval: Type.Number(),
  entropy: Type.Number(),
  agreement: Type.Number(),
});

/** confidence = sigma(intercept + sum of weight times feature). */
const RequestFeaturesSchema = object({
  family: Type.Literal("request-features"),
  intercept: Type.Number(),
  weights: WeightsSchema,
  ...fittedOn,
});

const ColumnsSchema = Type.Array(object({ name: Type.String({ minLength: 1 }), weight: Type.Number() }), {
  minItems: 1,
});

/**
 * Like `RequestFeaturesSchema`, plus the features that the verifier read for the first candidate, in the verifier's
 * order. Only for a verifier with features of these names.
 */
const VerifierFeaturesSchema = object({
  family: Type.Literal("verifier-features"),
  intercept: Type.Number(),
  weights: WeightsSchema,
  columns: ColumnsSchema,
  ...fittedOn,
});

/**
 * Like `RequestFeaturesSchema`, plus an offset for each workflow seen as first candidate, in ascending order of id, and
 * 0 for any other. Only for the catalog that the calibrator was fitted on.
 */
const CatalogFeaturesSchema = object({
  family: Type.Literal("catalog-features"),
  intercept: Type.Number(),
  weights: WeightsSchema,
  columns: ColumnsSchema,
  workflows: Type.Array(object({ workflow_id: Type.String(), shift: Type.Number() })),
  ...fittedOn,
});

/** Maps the verifier's logits to the probability that a candidate is the right workflow. */
export const CalibratorSchema = Type.Union([
  LinearSchema,
  RequestFeaturesSchema,
  VerifierFeaturesSchema,
  CatalogFeaturesSchema,
]);
export type Calibrator = ReadonlyStatic<typeof CalibratorSchema>;
export type CalibratorFamily = Calibrator["family"];

type Curve<T> = T extends unknown ? Omit<T, "fitted_requests" | "fitted_errors"> : never;

/** The part of a calibrator that computes confidences; linear if `family` is absent. */
export type CalibratorCurve =
  | Curve<Exclude<Calibrator, { readonly slope: number }>>
  | {
      readonly family?: "identity" | "platt";
      readonly slope: number;
      readonly intercept: number;
    };

/** A candidate family: its mean held-out loss in nats per request, or why it could not be used. */
export const CalibratorCandidateSchema = object({
  family: Type.Enum([...calibratorFamilyNames]),
  held_out_loss: Type.Union([Type.Number(), Type.Null()]),
  /** Standard error of the loss difference from the best family, paired by workflow; null without a loss. */
  standard_error: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  refused: Type.Union([Type.String(), Type.Null()]),
});
export type CalibratorCandidate = ReadonlyStatic<typeof CalibratorCandidateSchema>;
