import type { Catalog } from "../src/domain/catalog.js";
import { clusterOf, type LabelledRequest } from "../src/domain/dataset.js";
import type { SplitWire } from "../src/domain/split.js";
import { type NearDuplicatePair, nearDuplicates } from "./near-duplicates.js";
import { normaliseText } from "./normalise-text.js";
import { personalDataIn } from "./personal-data.js";
import { foldOf } from "./split-by-workflow.js";

/** One check of the audit. Row ids only, never texts. */
export interface AuditFinding {
  readonly check: AuditCheck;
  /** What is counted, in words. */
  readonly meaning: string;
  readonly count: number;
  /** `count` over the number of rows (of workflows, for `small_workflow`), in [0, 1]. */
  readonly share: number;
  /** The largest share that passes; for `out_of_scope_share` the allowed range. */
  readonly limit: number | { readonly from: number; readonly to: number };
  /** Within the limit, or accepted by the caller. */
  readonly passed: boolean;
  /** Outside the limit, and the caller accepts that. */
  readonly accepted: boolean;
  /** Ids of rows (workflow ids for `small_workflow` and `unknown_workflow`), at most `maximumExamples`. */
  readonly examples: readonly string[];
}

/** Every check of the audit, in the order of its findings. */
export const auditChecks = [
  "exact_duplicate",
  "label_conflict",
  "near_duplicate",
  "small_workflow",
  "out_of_scope_share",
  "personal_data",
  "fold_leakage",
  "outside_split",
  "catalog_example",
  "unknown_workflow",
] as const;
export type AuditCheck = (typeof auditChecks)[number];

/** Largest share of near-duplicates that passes when the caller names none: two in a hundred rows. */
export const defaultNearDuplicateLimit = 0.02;

export interface Audit {
  readonly schemaVersion: 1;
  readonly rows: number;
  readonly passed: boolean;
  /** In the order of `auditChecks`; checks that lack their input (split, catalog) are absent. */
  readonly findings: readonly AuditFinding[];
}

export interface AuditInput {
  readonly rows: readonly LabelledRequest[];
  readonly catalog?: Catalog;
  readonly split?: SplitWire;
  /** Checks whose findings the caller knows and accepts; none when absent. */
  readonly accepted?: readonly AuditCheck[];
  /** Largest share of near-duplicates that passes, in [0, 1]; `defaultNearDuplicateLimit` when absent. */
  readonly maxNearDuplicates?: number;
}

const maximumExamples = 10;
const minimumRequestsPerWorkflow = 8;

/** Limits of the audit: shares in [0, 1]. */
const auditLimits = {
  exactDuplicate: 0.01,
  outOfScope: { from: 0.05, to: 0.6 },
} as const;

/**
 * Checks a data set for what would make its numbers untrue. Pure; needs no model.
 * Leakage between folds, label conflicts, personal data, small and unknown workflows and requests that are catalog
 * examples are not tolerated at all; duplicates inside a fold only waste rows, so they have limits above 0.
 */
export function auditDataset(input: AuditInput): Audit {
  const { rows, catalog, split } = input;
  const pairs = nearDuplicates(rows.map((row) => row.text));
  const strict = [
    exactDuplicates(rows),
    labelConflicts(rows),
    nearDuplicateShare(rows, pairs, input.maxNearDuplicates ?? defaultNearDuplicateLimit),
    smallWorkflows(rows),
    outOfScopeShare(rows),
    personalData(rows),
    ...(split === undefined ? [] : [foldLeakage(rows, pairs, split), outsideSplit(rows, split)]),
    ...(catalog === undefined ? [] : [catalogExamples(rows, catalog), unknownWorkflows(rows, catalog)]),
  ];
  const accepted = new Set(input.accepted ?? []);
  const findings = strict.map((finding) => (accepted.has(finding.check) ? acceptedFinding(finding) : finding));
  return { schemaVersion: 1, rows: rows.length, passed: findings.every((f) => f.passed), findings };
}

function acceptedFinding(finding: AuditFinding): AuditFinding {
  return finding.passed ? finding : { ...finding, passed: true, accepted: true };
}

interface Counted {
  readonly check: AuditCheck;
  readonly meaning: string;
  /** Ids of what was found. */
  readonly found: readonly string[];
  readonly of: number;
  readonly limit?: number;
}

function atMost({ check, meaning, found, of, limit = 0 }: Counted): AuditFinding {
  const share = of === 0 ? 0 : found.length / of;
  const examples = found.slice(0, maximumExamples);
  return { check, meaning, count: found.length, share, limit, passed: share <= limit, accepted: false, examples };
}

const labelOf = (row: LabelledRequest): string => row.workflowId ?? "";

function byNormalisedText(rows: readonly LabelledRequest[]): readonly (readonly LabelledRequest[])[] {
  const groups = new Map<string, LabelledRequest[]>();
  for (const row of rows) {
    const text = normaliseText(row.text);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

function exactDuplicates(rows: readonly LabelledRequest[]): AuditFinding {
  const seen = new Set<string>();
  const found: string[] = [];
  for (const row of rows) {
    if (seen.has(row.text)) found.push(row.id);
    seen.add(row.text);
  }
  const meaning = "rows whose exact text occurred in an earlier row";
  return atMost({ check: "exact_duplicate", meaning, found, of: rows.length, limit: auditLimits.exactDuplicate });
}

/** A request is labelled for the workflows it may use, so only rows with the same allow list can contradict. */
function labelConflicts(rows: readonly LabelledRequest[]): AuditFinding {
  const allowed = (row: LabelledRequest): string => JSON.stringify(row.allowedWorkflowIds?.toSorted() ?? null);
  const found = byNormalisedText(rows).flatMap((group) => {
    const conflicting = group.filter((row) =>
      group.some((other) => labelOf(other) !== labelOf(row) && allowed(other) === allowed(row)),
    );
    return conflicting.map((row) => row.id);
  });
  const meaning = "rows whose text also has another label";
  return atMost({ check: "label_conflict", meaning, found, of: rows.length });
}

function nearDuplicateShare(
  rows: readonly LabelledRequest[],
  pairs: readonly NearDuplicatePair[],
  limit: number,
): AuditFinding {
  const found = [...new Set(pairs.map((pair) => rows[pair.second]?.id ?? ""))];
  const meaning = "rows that nearly repeat an earlier row (Jaccard of words and word pairs >= 0.8)";
  return atMost({ check: "near_duplicate", meaning, found, of: rows.length, limit });
}

function smallWorkflows(rows: readonly LabelledRequest[]): AuditFinding {
  const counts = new Map<string, number>();
  for (const { workflowId } of rows) {
    if (workflowId !== null) counts.set(workflowId, (counts.get(workflowId) ?? 0) + 1);
  }
  const found = [...counts].filter(([, count]) => count < minimumRequestsPerWorkflow).map(([id]) => id);
  const meaning = `workflows with fewer than ${minimumRequestsPerWorkflow} requests`;
  return atMost({ check: "small_workflow", meaning, found: found.sort(), of: counts.size });
}

function outOfScopeShare(rows: readonly LabelledRequest[]): AuditFinding {
  const count = rows.filter((row) => row.workflowId === null).length;
  const share = rows.length === 0 ? 0 : count / rows.length;
  const limit = auditLimits.outOfScope;
  const passed = share >= limit.from && share <= limit.to;
  return {
    check: "out_of_scope_share",
    meaning: "rows out of scope",
    count,
    share,
    limit,
    passed,
    accepted: false,
    examples: [],
  };
}

function personalData(rows: readonly LabelledRequest[]): AuditFinding {
  const found = rows.filter((row) => personalDataIn(row.text).size > 0).map((row) => row.id);
  const meaning = "rows that seem to hold an email address, a phone number, an IBAN or a card number";
  return atMost({ check: "personal_data", meaning, found, of: rows.length });
}

function foldLeakage(
  rows: readonly LabelledRequest[],
  pairs: readonly NearDuplicatePair[],
  split: SplitWire,
): AuditFinding {
  const fold = foldOf(split);
  const foldAt = (index: number): string | undefined => {
    const row = rows[index];
    return row === undefined ? undefined : fold.get(clusterOf(row));
  };
  const crossing = pairs.filter(({ first, second }) => {
    const [a, b] = [foldAt(first), foldAt(second)];
    return a !== undefined && b !== undefined && a !== b;
  });
  const found = [...new Set(crossing.map((pair) => rows[pair.second]?.id ?? ""))];
  const meaning = "rows that nearly repeat a row of another fold";
  return atMost({ check: "fold_leakage", meaning, found, of: rows.length });
}

function outsideSplit(rows: readonly LabelledRequest[], split: SplitWire): AuditFinding {
  const fold = foldOf(split);
  const found = rows.filter((row) => !fold.has(clusterOf(row))).map((row) => row.id);
  return atMost({ check: "outside_split", meaning: "rows that the split gives no fold", found, of: rows.length });
}

function catalogExamples(rows: readonly LabelledRequest[], catalog: Catalog): AuditFinding {
  const examples = new Set(catalog.workflows.flatMap((workflow) => workflow.examples.map(normaliseText)));
  const found = rows.filter((row) => examples.has(normaliseText(row.text))).map((row) => row.id);
  const meaning = "rows whose text is an example of the catalog";
  return atMost({ check: "catalog_example", meaning, found, of: rows.length });
}

function unknownWorkflows(rows: readonly LabelledRequest[], catalog: Catalog): AuditFinding {
  const known = new Set(catalog.workflows.map((workflow) => workflow.workflowId));
  const unknown = rows.flatMap((row) => (row.workflowId === null || known.has(row.workflowId) ? [] : [row.workflowId]));
  const found = [...new Set(unknown)].sort();
  return atMost({ check: "unknown_workflow", meaning: "workflow ids that the catalog lacks", found, of: rows.length });
}
