import type { Catalog } from "../src/domain/catalog.js";
import type { LabelledRequest } from "../src/domain/dataset.js";
import type { FoldFractions } from "./assign-folds.js";
import { examplesOf, familiesOf } from "./families.js";
import { normaliseText } from "./normalise-text.js";

/** Texts of a workflow from which each may be used twice; with fewer, leaving one out costs too much. */
const fewestTexts = 10;
/** Most examples that a catalog accepts for a workflow. */
export const mostExamplesOfWorkflow = 50;
/** Requests from which a fifth that is held out can tell something; below, all of them certify. */
const fewestForEval = 500;

/** Whether most texts belong to workflows with so many that each may be an example and a test request. */
export function hasEnoughTexts(textsOfWorkflows: readonly number[]): boolean {
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return sum(textsOfWorkflows.filter((count) => count >= fewestTexts)) * 2 > sum(textsOfWorkflows);
}

/** Shares of the folds where every text is used twice. */
export function everyTextShares(requests: number): FoldFractions {
  const held = requests >= fewestForEval ? 0.2 : 0;
  return { fit: 0, tune: 0, certify: 1 - held, eval: held };
}

/**
 * Whether a catalog teaches with the requests that measure it: most of those that it can hold are examples, or most
 * resemble one, as tests that were written like the training texts do. Folds by request would leave these out of the tests.
 */
export function usesEveryText(rows: readonly LabelledRequest[], catalog: Catalog): boolean {
  const examples = new Set(catalog.workflows.flatMap((workflow) => workflow.examples.map(normaliseText)));
  const inScope = rows.filter(({ workflowId }) => workflowId !== null);
  const taught = inScope.filter(({ text }) => examples.has(normaliseText(text)));
  const texts = new Map<string, Set<string>>();
  for (const { workflowId, text } of inScope) {
    if (workflowId === null) continue;
    texts.set(workflowId, (texts.get(workflowId) ?? new Set()).add(normaliseText(text)));
  }
  const counts = [...texts.values()].map(({ size }) => size);
  const holds = counts.reduce((sum, count) => sum + Math.min(count, mostExamplesOfWorkflow), 0);
  return hasEnoughTexts(counts) && (taught.length > holds / 2 || resembleExamples(rows, catalog));
}

function resembleExamples(rows: readonly LabelledRequest[], catalog: Catalog): boolean {
  const inScope = rows.filter(({ workflowId }) => workflowId !== null);
  const { exampleOf } = familiesOf({ rows: inScope, examples: examplesOf(catalog) });
  return exampleOf.filter((example) => example !== undefined).length * 2 > inScope.length;
}
