/**
 * How a request relates to the rows used for fitting. `seen`: FIT contains an in-scope request of its workflow.
 * `unseen_workflow`: FIT contains none. `near_oos`: out of scope, but close to the catalog: its workflow was removed
 * from the catalog, or its slice `oos` begins with "near". `far_oos`: all other out-of-scope requests.
 */
export const populations = ["seen", "unseen_workflow", "near_oos", "far_oos"] as const;
export type Population = (typeof populations)[number];
