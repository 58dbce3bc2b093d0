import type { StepProgress } from "./step-progress.js";
import type { Workspace } from "./workspace.js";

/** Dependencies of the use cases: workspace, clock, cancellation and progress. */
export interface WorkbenchContext {
  readonly workspace: Workspace;
  readonly actor: string;
  /** Whether the caller named the actor. Otherwise a person who signs is recorded; see `actingAs`. */
  readonly isActorNamed: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  /** Aborting it cancels a long step; completed work is kept. */
  readonly signal: AbortSignal;
  readonly progress: StepProgress;
  /** Environment variables, for those defined by other tools, such as SSH_AUTH_SOCK. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The context of a person who signs, who is the actor of everything that is recorded unless the caller named another. */
export const actingAs = (context: WorkbenchContext, person: string): WorkbenchContext =>
  context.isActorNamed ? context : { ...context, actor: person };
