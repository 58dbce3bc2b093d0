import type { FoldFractions } from "./assign-folds.js";
import { type Catalog, mostExamples } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { exampleTest, examplesOf, familiesOf } from "./families.js";
import { normaliseText } from "./near-duplicates.js";

/**
 * Minimum number of texts per workflow for using each text twice; with fewer, leaving one out costs too much accuracy.
 */
const fewestTexts = 10;
/** Minimum number of requests for holding out a fifth; with fewer, all requests are used to certify. */
const fewestForEval = 500;

/** Whether most texts belong to workflows with enough texts for using each as both an example and a test request. */
export function hasEnoughTexts(textsOfWorkflows: readonly number[]): boolean {
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return sum(textsOfWorkflows.filter((count) => count >= fewestTexts)) * 2 > sum(textsOfWorkflows);
}

/** Fold shares if every text is used twice. */
export function everyTextShares(requests: number): FoldFractions {
  const held = requests >= fewestForEval ? 0.2 : 0;
  return { fit: 0, tune: 0, certify: 1 - held, eval: held };
}

/**
 * Whether the test requests of a catalog are also its examples: most texts that the catalog accepts are examples, or
 * most requests belong to the family of an example.
 */
export function usesEveryText(rows: readonly LabelledRequest[], catalog: Catalog): boolean {
  const inScope = rows.filter(({ workflow_id: workflowId }) => workflowId !== null);
  const sizes = [...textsOf(inScope).values()].map(({ size }) => size);
  return hasEnoughTexts(sizes) && (areExamples(inScope, sizes, catalog) || areRelatives(inScope, catalog));
}

function areExamples(inScope: readonly LabelledRequest[], sizes: readonly number[], { workflows }: Catalog): boolean {
  const isExample = exampleTest({ workflows });
  const teachable = sizes.reduce((sum, size) => sum + Math.min(size, mostExamples), 0);
  const taught = [...textsOf(inScope.filter(({ text }) => isExample(text))).values()];
  return taught.reduce((sum, { size }) => sum + size, 0) > teachable / 2;
}

function areRelatives(inScope: readonly LabelledRequest[], catalog: Catalog): boolean {
  const { exampleOf } = familiesOf({ rows: inScope, examples: examplesOf(catalog) });
  return inScope.filter((_, index) => exampleOf[index] !== undefined).length > inScope.length / 2;
}

function textsOf(rows: readonly LabelledRequest[]): ReadonlyMap<string, ReadonlySet<string>> {
  const texts = new Map<string, Set<string>>();
  for (const { workflow_id: workflowId, text } of rows) {
    if (workflowId === null) continue;
    texts.set(workflowId, (texts.get(workflowId) ?? new Set()).add(normaliseText(text)));
  }
  return texts;
}

/** Fold shares if no model is fitted on the data, so that almost every row is used for measurement. */
export const measuringShares: FoldFractions = { fit: 0.01, tune: 0.39, certify: 0.4, eval: 0.2 };
