import { defaultNearDuplicateLimit, type Fold } from "../../src/documents/choices.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { foldOfRow, type Split } from "../../src/documents/split.js";
import { scoresLeftOut } from "../left-out.js";
import { drawnSplit, leftOutSplit } from "../split-by-request.js";
import { foldOf } from "../split-by-workflow.js";
import { examplesOf, familiesOf, type Families } from "../families.js";
import { type AuditFinding, type AuditExample, atMost } from "./finding.js";
import {
  exactDuplicates,
  labelConflicts,
  nearDuplicateShare,
  outOfScopeShare,
  personalData,
  smallWorkflows,
} from "./row-checks.js";
import { counted } from "../../src/documents/number-text.js";
import { normaliseText } from "../near-duplicates.js";

export interface Audit {
  readonly rows: number;
  readonly passed: boolean;
  /** In the order of `auditChecks`; checks without their input (split, catalog) are left out. */
  readonly findings: readonly AuditFinding[];
}

export interface AuditInput {
  readonly rows: readonly LabelledRequest[];
  readonly catalog?: Catalog | undefined;
  readonly split?: Split | undefined;
  /** Largest share of near-duplicates that passes, in [0, 1]; default `defaultNearDuplicateLimit`. */
  readonly maxNearDuplicates?: number | undefined;
}

/** Splits whose tested rows may be examples. */
const twiceUsed: ReadonlySet<string> = new Set([leftOutSplit, drawnSplit]);

/** Rows that must not be examples; if every text is used twice, only the rows of EVAL. */
function taughtTwice(rows: readonly LabelledRequest[], split: Split | undefined): readonly LabelledRequest[] {
  if (split === undefined || !twiceUsed.has(split.disjoint_by)) return rows;
  const folds = foldOf(split);
  return rows.filter((row) => foldOfRow(row, folds) === "eval");
}

/** Draws of a log may resemble its examples: traffic does. */
const findingsOfSplit = (
  rows: readonly LabelledRequest[],
  families: Families,
  split: Split,
): readonly AuditFinding[] => [
  ...(split.disjoint_by === drawnSplit ? [] : [exactFoldLeakage(rows, split), foldLeakage(rows, families, split)]),
  outsideSplit(rows, split),
];

/**
 * Checks a dataset for defects that would invalidate measurements on it, using the same families as the split. Pure;
 * needs no model. The limit is 0 for leakage between folds, label conflicts, personal data, small or unknown workflows,
 * and requests that are catalog examples. Duplicates within a fold only waste rows, so their limits are above 0.
 */
export function auditRequests(input: AuditInput): Audit {
  const { rows, catalog, split } = input;
  const examples = catalog === undefined ? [] : examplesOf(catalog);
  const families = familiesOf({ rows, examples, alike: split?.alike });
  const pairs = families.copies.filter(({ second }) => second < rows.length);
  const removed = split?.removed?.workflows ?? [];
  const findings = [
    exactDuplicates(rows),
    labelConflicts(rows, examples, families.copies),
    nearDuplicateShare(rows, pairs, input.maxNearDuplicates ?? defaultNearDuplicateLimit),
    smallWorkflows(rows),
    outOfScopeShare(rows, removed),
    personalData(rows),
    ...(split === undefined ? [] : findingsOfSplit(rows, families, split)),
    ...(catalog === undefined ? [] : [catalogExamples(taughtTwice(rows, split), catalog)]),
    ...(catalog === undefined || split === undefined ? [] : [exampleFamilies(rows, families, split)]),
    ...(catalog === undefined ? [] : [unknownWorkflows(rows, catalog, removed)]),
  ];
  return { rows: rows.length, passed: findings.every((finding) => finding.passed), findings };
}

/** Normalised texts that occur in two folds, by exact comparison. */
function exactFoldLeakage(rows: readonly LabelledRequest[], split: Split): AuditFinding {
  const folds = foldOf(split);
  const firstOf = new Map<string, { readonly id: string; readonly fold: Fold }>();
  const found: AuditExample[] = [];
  for (const row of rows) {
    const fold = foldOfRow(row, folds);
    if (fold === undefined) continue;
    const text = normaliseText(row.text);
    const first = firstOf.get(text);
    if (first === undefined) firstOf.set(text, { id: row.id, fold });
    else if (first.fold !== fold) found.push({ ids: [row.id, first.id], note: `${fold}, ${first.fold}` });
  }
  const meaning = "rows whose text occurs in another fold";
  return atMost({ check: "exact_fold_leakage", meaning, found, of: rows.length });
}

/**
 * Rows whose family has a row in another fold. Each row is reported once, with the first row of the family in that
 * fold.
 */
function foldLeakage(rows: readonly LabelledRequest[], families: Families, split: Split): AuditFinding {
  const folds = foldOf(split);
  const firstOf = new Map<string, { readonly id: string; readonly fold: Fold }[]>();
  const found: AuditExample[] = [];
  for (const [index, row] of rows.entries()) {
    const fold = foldOfRow(row, folds);
    if (fold === undefined) continue;
    const firsts = firstOf.get(families.of[index]) ?? [];
    const other = firsts.find((first) => first.fold !== fold);
    if (other !== undefined) found.push({ ids: [row.id, other.id], note: `${fold}, ${other.fold}` });
    if (!firsts.some((first) => first.fold === fold)) firsts.push({ id: row.id, fold });
    firstOf.set(families.of[index], firsts);
  }
  const meaning = "rows with a near-copy, a text that shares half the words, or a row of the group in another fold";
  return atMost({ check: "fold_leakage", meaning, found, of: rows.length });
}

/** Maximum share of the tested rows that resemble a catalog example, because these are easier than new requests. */
const exampleFamilyLimit = 0.05;

/**
 * Rows outside FIT in the family of a catalog example, among those that are scored with this example in the catalog. Rows
 * of TUNE and CERTIFY whose families are left out of the examples are not among them.
 */
function exampleFamilies(rows: readonly LabelledRequest[], families: Families, split: Split): AuditFinding {
  const folds = foldOf(split);
  const leftOut = scoresLeftOut(split);
  const tested = rows.flatMap((row, index) => {
    const fold = foldOfRow(row, folds);
    return fold === "eval" || (fold !== "fit" && !leftOut) ? [{ row, example: families.exampleOf[index] }] : [];
  });
  const found = tested.flatMap(({ row, example }) =>
    example === undefined ? [] : [{ ids: [row.id], note: example.workflowId }],
  );
  const meaning = "tested rows that resemble an example of the catalog with which they are scored";
  return atMost({ check: "example_family", meaning, found, of: tested.length, limit: exampleFamilyLimit });
}

function outsideSplit(rows: readonly LabelledRequest[], split: Split): AuditFinding {
  const folds = foldOf(split);
  const found = rows.filter((row) => foldOfRow(row, folds) === undefined).map((row) => ({ ids: [row.id], note: "" }));
  return atMost({ check: "outside_split", meaning: "rows that the split assigns to no fold", found, of: rows.length });
}

function catalogExamples(rows: readonly LabelledRequest[], catalog: Catalog): AuditFinding {
  const examples = new Map(
    catalog.workflows.flatMap((workflow) =>
      workflow.examples.map((text) => [normaliseText(text), workflow.workflow_id] as const),
    ),
  );
  const found = rows.flatMap((row) => {
    const workflow = examples.get(normaliseText(row.text));
    return workflow === undefined ? [] : [{ ids: [row.id], note: workflow }];
  });
  const meaning = "rows whose text is an example of the catalog";
  return atMost({ check: "catalog_example", meaning, found, of: rows.length });
}

/** @param removed  workflows that the split removed from the catalog */
function unknownWorkflows(
  rows: readonly LabelledRequest[],
  catalog: Catalog,
  removed: readonly string[],
): AuditFinding {
  const known = new Set([...catalog.workflows.map((workflow) => workflow.workflow_id), ...removed]);
  const counts = new Map<string, number>();
  for (const { workflow_id: workflowId } of rows) {
    if (workflowId !== null && !known.has(workflowId)) counts.set(workflowId, (counts.get(workflowId) ?? 0) + 1);
  }
  const found = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, count]) => ({ ids: [id], note: counted(count, "request") }));
  return atMost({
    check: "unknown_workflow",
    meaning: "workflow ids missing from the catalog",
    found,
    of: rows.length,
  });
}
