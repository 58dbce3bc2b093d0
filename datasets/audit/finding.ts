import type { AuditRecord } from "./audit-document.js";
import type { AuditCheck } from "../../src/documents/choices.js";

/** Ids of rows or workflows behind a finding; never texts. */
export interface AuditExample {
  /** The row and, if applicable, the row that it repeats or contradicts. */
  readonly ids: readonly string[];
  /** Folds, workflows, kinds of personal data or counts; "" if there is nothing to add. */
  readonly note: string;
}

export interface AuditFinding {
  readonly check: AuditCheck;
  readonly meaning: string;
  readonly count: number;
  /** `count` over the number of rows (of workflows, for `small_workflow`), in [0, 1]. */
  readonly share: number;
  /** Maximum share that passes; for `out_of_scope_share`, the allowed range. */
  readonly limit: AuditRecord["findings"][number]["limit"];
  readonly passed: boolean;
  /** At most `maximumExamples` examples, in row order. */
  readonly examples: readonly AuditExample[];
}

const maximumExamples = 10;

export interface Counted {
  readonly check: AuditCheck;
  readonly meaning: string;
  readonly found: readonly AuditExample[];
  /** Denominator of the share. */
  readonly of: number;
  /** Maximum share that passes. Default 0. */
  readonly limit?: number;
}

/** Creates a finding that passes if the share is at most `limit`. */
export function atMost({ check, meaning, found, of, limit = 0 }: Counted): AuditFinding {
  const share = of === 0 ? 0 : found.length / of;
  const examples = found.slice(0, maximumExamples);
  return { check, meaning, count: found.length, share, limit, passed: share <= limit, examples };
}
