import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import type { FitData, FitRequest, FitWorkflow } from "./fit-data.js";

/** One fold: what is learned from, and workflows that the fit never sees, with their requests. */
export interface HeldOut {
  readonly fit: FitData;
  readonly workflows: readonly FitWorkflow[];
  readonly requests: readonly FitRequest[];
}

/**
 * Folds that hold out each workflow once, all workflows of a class together, with every request and catalog text of
 * theirs. Requests without a workflow and the lexicon are in every fit.
 */
export function workflowFolds(data: FitData, folds: number, random: SeededRandom): readonly HeldOut[] {
  const classes = random.shuffle([...new Set(data.workflows.map(({ classKey }) => classKey))].sort());
  const foldOf = new Map(classes.map((key, position) => [key, position % folds]));
  return Array.from({ length: folds }, (_, fold) => {
    const held = data.workflows.filter(({ classKey }) => foldOf.get(classKey) === fold);
    const ids = new Set(held.map(({ id }) => id));
    const isHeld = ({ workflow }: FitRequest): boolean => workflow !== null && ids.has(workflow);
    return {
      fit: {
        requests: data.requests.filter((request) => !isHeld(request)),
        workflows: data.workflows.filter(({ id }) => !ids.has(id)),
        synsets: data.synsets,
      },
      workflows: held,
      requests: data.requests.filter(isHeld),
    };
  });
}
