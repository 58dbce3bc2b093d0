import { type Static, Type } from "../../src/base/typebox.js";
import { object, CountSchema, ProbabilitySchema, Sha256Schema } from "../../src/documents/primitives.js";
import { auditChecks, type AuditCheck } from "../../src/documents/choices.js";

/** Description of what each check counts. */
export const auditCheckWords: Readonly<Record<AuditCheck, string>> = {
  exact_duplicate: "repeated requests",
  label_conflict: "requests whose text has two workflows",
  near_duplicate: "near-duplicate requests",
  small_workflow: "workflows with few requests",
  out_of_scope_share: "unusual share of out-of-scope requests",
  personal_data: "requests with personal data",
  exact_fold_leakage: "requests that occur in two folds",
  fold_leakage: "requests with a relative in another fold",
  outside_split: "requests missing from the split",
  catalog_example: "requests that are examples of the catalog",
  example_family: "requests that resemble an example of the catalog",
  unknown_workflow: "requests of workflows missing from the catalog",
};

const CheckSchema = Type.Enum([...auditChecks]);

/**
 * The audit of a dataset as stored in the history: counts only, never ids or texts of requests. `passed` does not take
 * the override into account. Checks without their input (split, catalog) are left out.
 */
export const AuditRecordSchema = object({
  schema_version: Type.Literal(1),
  dataset_sha256: Sha256Schema,
  catalog_sha256: Type.Union([Sha256Schema, Type.Null()]),
  split_sha256: Type.Union([Sha256Schema, Type.Null()]),
  rows: CountSchema,
  passed: Type.Boolean(),
  findings: Type.Array(
    object({
      check: CheckSchema,
      count: CountSchema,
      share: ProbabilitySchema,
      limit: Type.Union([ProbabilitySchema, object({ from: ProbabilitySchema, to: ProbabilitySchema })]),
      passed: Type.Boolean(),
    }),
  ),
  /** Who accepted failed checks of the dataset, and why. */
  override: Type.Union([
    object({
      checks: Type.Array(CheckSchema),
      reason: Type.String({ minLength: 1, maxLength: 500 }),
      actor: Type.String({ minLength: 1, maxLength: 160 }),
    }),
    Type.Null(),
  ]),
});
export type AuditRecord = Static<typeof AuditRecordSchema>;

/**
 * Failed checks of an audit that no override covers. A dataset with such a check cannot support a signed calibration.
 */
export function openChecks({ findings, override }: Pick<AuditRecord, "findings" | "override">): readonly AuditCheck[] {
  const accepted = new Set(override?.checks ?? []);
  return findings.filter(({ check, passed }) => !passed && !accepted.has(check)).map(({ check }) => check);
}
