import { type ObjectOptions, type Static, type TProperties, type TSchema, Type } from "../base/typebox.js";
import type { Sha256 } from "../base/sha256.js";

/** SHA-256 of a bundle's manifest: approvers sign it, and servers report it. */
export type BundleId = Sha256 & { readonly "is a bundle id": true };
/** Id of a workflow that satisfies the catalog schema. */
export type WorkflowId = string & { readonly "is a workflow id": true };

/** Schema fragments that several documents share. */
const sha256Text = Type.String({ pattern: "^[0-9a-f]{64}$" });
export const Sha256Schema = Type.Unsafe<Sha256>(sha256Text);
export const BundleIdSchema = Type.Unsafe<BundleId>(sha256Text);
export const VersionSchema = Type.String({ minLength: 1, maxLength: 160 });
/** UTC with `Z` and whole seconds, the only accepted form. */
export const TimestampSchema = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$" });
const workflowIdPattern = "^[a-z][a-z0-9_.-]{2,127}$";
export const WorkflowIdSchema = Type.Unsafe<WorkflowId>(Type.String({ pattern: workflowIdPattern }));
/** The pattern of WorkflowIdSchema as a regular expression, for checking long lists quickly. */
export const workflowIdGrammar: RegExp = new RegExp(workflowIdPattern, "u");
/** A language as a BCP 47 tag, such as "en" or "pt-BR". */
export const LanguageSchema = Type.String({ pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$" });
export const ProbabilitySchema = Type.Number({ minimum: 0, maximum: 1 });
export const CountSchema = Type.Integer({ minimum: 0 });

/** An object of exactly these fields; unknown keys are refused. */
export const object = <P extends TProperties>(properties: P, options: ObjectOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** A value or null. */
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

type DeepReadonly<T> = T extends string
  ? T
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/** The type of a document's schema, read-only at every level. */
export type ReadonlyStatic<S extends TSchema> = DeepReadonly<Static<S>>;
