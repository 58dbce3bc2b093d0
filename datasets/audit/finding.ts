import type { AuditRecord } from "./audit-document.js";
import type { AuditCheck } from "../../src/documents/choices.js";

/** Ids of rows or workflows behind a finding; never texts. */
export interface AuditExample {
  /** The row and, if applicable, the row that it repeats; of texts that contradict each other, all rows. */
  readonly ids: readonly string[];
  /** Folds, workflows, kinds of personal data or counts; "" if there is nothing to add. */
  readonly note: string;
  /** Labels that contradict each other, the most frequent first. */
  readonly sides?: readonly LabelSide[];
}

/** The texts with one of the labels that contradict each other. */
export interface LabelSide {
  /** null: out of scope. */
  readonly label: string | null;
  readonly rows: readonly string[];
  /** Number of rows, and of examples without such a row. */
  readonly texts: number;
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
  /** Default: one for each of `found`. */
  readonly count?: number;
  /** Denominator of the share. */
  readonly of: number;
  /** Maximum share that passes. Default 0. */
  readonly limit?: number;
}

/** Creates a finding that passes if the share is at most `limit`. */
export function atMost({ check, meaning, found, count = found.length, of, limit = 0 }: Counted): AuditFinding {
  const share = of === 0 ? 0 : count / of;
  const examples = found.slice(0, maximumExamples);
  return { check, meaning, count, share, limit, passed: share <= limit, examples };
}
