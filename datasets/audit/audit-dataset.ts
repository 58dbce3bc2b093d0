import { defaultNearDuplicateLimit } from "../../src/domain/choices.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import { foldOfRow, type SplitWire } from "../../src/domain/split.js";
import { leftOutSplit } from "../split-by-request.js";
import { foldOf } from "../split-by-workflow.js";
import { examplesOf, familiesOf } from "../families.js";
import type { AuditFinding } from "./finding.js";
import {
  exactDuplicates,
  labelConflicts,
  nearDuplicateShare,
  outOfScopeShare,
  personalData,
  smallWorkflows,
} from "./row-checks.js";
import {
  catalogExamples,
  exactFoldLeakage,
  exampleFamilies,
  foldLeakage,
  outsideSplit,
  unknownWorkflows,
} from "./split-checks.js";

export interface Audit {
  readonly rows: number;
  readonly passed: boolean;
  /** In the order of `auditChecks`; checks that lack their input (split, catalog) are absent. */
  readonly findings: readonly AuditFinding[];
}

export interface AuditInput {
  readonly rows: readonly LabelledRequest[];
  readonly catalog?: Catalog;
  readonly split?: SplitWire;
  /** Largest share of near-duplicates that passes, in [0, 1]; default `defaultNearDuplicateLimit`. */
  readonly maxNearDuplicates?: number;
}

/** Rows that must not be examples: where every text is used twice, only those of EVAL. */
function taughtTwice(rows: readonly LabelledRequest[], split: SplitWire | undefined): readonly LabelledRequest[] {
  if (split?.disjoint_by !== leftOutSplit) return rows;
  const folds = foldOf(split);
  return rows.filter((row) => foldOfRow(row, folds) === "eval");
}

/**
 * Checks a dataset for defects that would invalidate its numbers, by the families that also divide it into folds. Pure;
 * needs no model. Leakage between folds, label conflicts, personal data, small and unknown workflows and requests that are catalog examples
 * are not tolerated at all; duplicates within a fold only waste rows, so they have limits above 0.
 */
export function auditRequests(input: AuditInput): Audit {
  const { rows, catalog, split } = input;
  const examples = catalog === undefined ? [] : examplesOf(catalog);
  const families = familiesOf({ rows, examples });
  const pairs = families.copies.filter(({ second }) => second < rows.length);
  const removed = split?.removed?.workflows ?? [];
  const findings = [
    exactDuplicates(rows),
    labelConflicts(rows, examples, families.copies),
    nearDuplicateShare(rows, pairs, input.maxNearDuplicates ?? defaultNearDuplicateLimit),
    smallWorkflows(rows),
    outOfScopeShare(rows, removed),
    personalData(rows),
    ...(split === undefined
      ? []
      : [exactFoldLeakage(rows, split), foldLeakage(rows, families, split), outsideSplit(rows, split)]),
    ...(catalog === undefined ? [] : [catalogExamples(taughtTwice(rows, split), catalog)]),
    ...(catalog === undefined || split === undefined
      ? []
      : [exampleFamilies(taughtTwice(rows, split), families, split)]),
    ...(catalog === undefined ? [] : [unknownWorkflows(rows, catalog, removed)]),
  ];
  return { rows: rows.length, passed: findings.every((finding) => finding.passed), findings };
}
