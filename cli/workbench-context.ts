import type { StepProgress } from "./step-progress.js";
import type { Workspace } from "./workspace.js";

/** What the use cases need from whoever runs them: a place, a clock, a way to stop, and somebody to tell. */
export interface WorkbenchContext {
  readonly workspace: Workspace;
  /** Who is recorded in the history. */
  readonly actor: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  /** Aborting it ends a long step; what is finished stays. */
  readonly signal: AbortSignal;
  readonly progress: StepProgress;
}
