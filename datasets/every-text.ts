import type { Catalog } from "../src/domain/catalog.js";
import type { LabelledRequest } from "../src/domain/dataset.js";
import type { FoldFractions } from "./assign-folds.js";
import { normaliseText } from "./normalise-text.js";

/** Texts of the median workflow from which every text may be used twice; below, leaving one out costs too much. */
const fewestTexts = 10;
/** Requests from which a fifth that is held out can tell something; below, all of them certify. */
const fewestForEval = 500;

/** Whether workflows have so many texts that each may be an example and a test request. */
export function hasEnoughTexts(textsOfWorkflows: readonly number[]): boolean {
  const sorted = textsOfWorkflows.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) >= fewestTexts;
}

/** Shares of the folds where every text is used twice. */
export function everyTextShares(requests: number): FoldFractions {
  const held = requests >= fewestForEval ? 0.2 : 0;
  return { fit: 0, tune: 0, certify: 1 - held, eval: held };
}

/** Whether a catalog teaches with the requests that measure it: most of those in scope are examples. */
export function usesEveryText(rows: readonly LabelledRequest[], { workflows }: Catalog): boolean {
  const examples = new Set(workflows.flatMap((workflow) => workflow.examples.map(normaliseText)));
  const inScope = rows.filter(({ workflowId }) => workflowId !== null);
  const taught = inScope.filter(({ text }) => examples.has(normaliseText(text)));
  const texts = new Map<string, Set<string>>();
  for (const { workflowId, text } of inScope) {
    if (workflowId === null) continue;
    texts.set(workflowId, (texts.get(workflowId) ?? new Set()).add(normaliseText(text)));
  }
  return taught.length > inScope.length / 2 && hasEnoughTexts([...texts.values()].map(({ size }) => size));
}
