import type { SeededRandom } from "../../../stats/seeded-random.js";
import type { FitData, FitRequest, FitWorkflow } from "./fit-data.js";

/** The data of a fold run: what is learned from, and workflows that the fit never sees, with their requests. */
export interface HeldOut {
  readonly fit: FitData;
  readonly workflows: readonly FitWorkflow[];
  readonly requests: readonly FitRequest[];
}

/**
 * Holds out a share of the classes of workflows, with every request and catalog text of theirs. Requests without a
 * workflow and the lexicon stay.
 * @param share  in [0, 1)
 */
export function holdOut(data: FitData, share: number, random: SeededRandom): HeldOut {
  const classes = [...new Set(data.workflows.map(({ classKey }) => classKey))].sort();
  const chosen = new Set(random.shuffle(classes).slice(0, Math.floor(share * classes.length)));
  const held = data.workflows.filter(({ classKey }) => chosen.has(classKey));
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
}
