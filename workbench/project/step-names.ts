/** Names of the steps of a project, in the order in which they run. */
export const stepNames = ["import", "audit", "split", "score", "plan", "calibrate", "report"] as const;
export type StepName = (typeof stepNames)[number];
