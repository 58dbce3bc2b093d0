import type { Fold } from "./choices.js";

/**
 * Population of a request, relative to the models. `seen`: its workflow is in FIT. `unseen_workflow`: its workflow is
 * in the catalog and in another fold. `near_oos`: out of scope, but close to the catalog: its workflow was removed,
 * or its slice `oos` begins with "near". `far_oos`: out of scope otherwise.
 */
export const populations = ["seen", "unseen_workflow", "near_oos", "far_oos"] as const;
export type Population = (typeof populations)[number];

/** The population of a request. `workflowId` is its gold workflow in the catalog of the run, null out of scope. */
export function populationOf(request: {
  readonly workflowId: string | null;
  readonly fold: Fold;
  readonly slices: Readonly<Record<string, string>>;
  /** Its workflow was removed from the catalog. */
  readonly removed: boolean;
}): Population {
  if (request.workflowId !== null) return request.fold === "fit" ? "seen" : "unseen_workflow";
  const near = request.removed || request.slices["oos"]?.startsWith("near") === true;
  return near ? "near_oos" : "far_oos";
}
