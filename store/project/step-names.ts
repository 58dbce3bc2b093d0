/** The file that says what a project is. */
export const projectFileName = "sluice.yaml";

/** Names of the steps of a project, in the order in which they run. */
export const stepNames = ["import", "split", "audit", "score", "plan", "calibrate", "report"] as const;
/** The step that `run --release` adds. */
export const releaseStepName = "release";
export type StepName = (typeof stepNames)[number] | typeof releaseStepName;
