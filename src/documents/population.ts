/**
 * What the fitting rows show of a request. `seen`: FIT contains an in-scope request of its workflow. `unseen_workflow`:
 * FIT contains none. `near_oos`: out of scope, but close to the catalog: its workflow was removed from the catalog, or
 * its slice `oos` begins with "near". `far_oos`: out of scope otherwise. Runs of version 1 differ, see docs/adr/0035.
 */
export const populations = ["seen", "unseen_workflow", "near_oos", "far_oos"] as const;
export type Population = (typeof populations)[number];
