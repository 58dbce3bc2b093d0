import { type Static, Type } from "../../src/base/typebox.js";
import { object, CountSchema, ProbabilitySchema, Sha256Schema } from "../../src/documents/primitives.js";
import { auditChecks, type AuditCheck } from "../../src/documents/choices.js";
import { formatCount, formatPercent, formatTenthsPercent } from "../../src/documents/number-text.js";
import { printable } from "../../src/base/text.js";

const auditCheckWords: Readonly<Record<AuditCheck, string>> = {
  exact_duplicate: "repeated requests",
  label_conflict: "requests that have the same text but different labels",
  near_duplicate: "near-duplicate requests",
  small_workflow: "workflows with fewer than 8 requests",
  out_of_scope_share: "out-of-scope requests",
  personal_data: "requests that seem to contain personal data",
  exact_fold_leakage: "requests that occur in two folds",
  fold_leakage: "near-copies in different folds",
  outside_split: "requests missing from the split",
  catalog_example: "requests that are examples of the catalog",
  example_family: "near-copies of catalog examples",
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

type Finding = AuditRecord["findings"][number];

/** What a failed check found: a count, or where a share is limited, the share and its usual range. */
export function findingText({ check, count, share, limit }: Finding): string {
  if (typeof limit === "object") {
    const usual = `${formatPercent(limit.from)} to ${formatPercent(limit.to)} is usual`;
    return `${share < limit.from ? "few" : "many"} ${auditCheckWords[check]}: ${formatTenthsPercent(share)} (${usual})`;
  }
  if (check === "example_family") {
    const of = share === 0 ? 0 : Math.round(count / share);
    return `${formatCount(count)} of ${formatCount(of)} tested requests are near-copies of catalog examples, so they are easier than new ones`;
  }
  if (limit === 0) return `${auditCheckWords[check]}: ${formatCount(count)}`;
  return `${auditCheckWords[check]}: ${formatTenthsPercent(share)} (at most ${formatPercent(limit)} is usual)`;
}

/** The failed checks of an audit in words; "" if there are none. */
export const findingsText = (findings: readonly Finding[]): string =>
  findings
    .filter(({ passed }) => !passed)
    .map(findingText)
    .join("; ");

/** Who accepted failed checks, and why; the checks are named unless all failed ones were accepted. "" if nobody did. */
export function acceptanceText(record: Pick<AuditRecord, "findings" | "override">): string {
  const { override } = record;
  if (override === null) return "";
  const which = openChecks(record).length === 0 ? "" : ` (${override.checks.join(", ")})`;
  return printable(`accepted by ${override.actor}${which}: ${override.reason}`);
}
