import { createWorkspace, workspaceAt } from "../store/workspace.js";
import { silentProgress, type StepProgress } from "../store/step-progress.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export interface WorkbenchOptions {
  /** Folder of the workspace; created if it does not exist. */
  readonly folder: string;
  /** Folder of the embedding cache, which several workspaces may share. Default: in the workspace. */
  readonly vectors?: string | undefined;
  /** Actor recorded in the history. Default: `user`, otherwise "unknown", who cannot accept audit findings. */
  readonly actor?: string | undefined;
  /** User of this machine, the actor where none is named. A person who signs takes precedence. Default: none. */
  readonly user?: string;
  /** Returns milliseconds since 1970-01-01 UTC. Default: the system clock. */
  readonly clock?: () => number;
  /** Aborting it cancels a long step; finished work is saved. Default: never. */
  readonly signal?: AbortSignal;
  /** Receives the progress of long steps. Default: none. */
  readonly progress?: StepProgress;
  /** Environment variables, for those defined by other tools, such as SSH_AUTH_SOCK. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

// The only use of the system clock outside the command line, for callers who pass no clock.
const systemClock = (): number => new Date().getTime();

/** The workbench of a folder, which need not exist; accesses no files. */
export const workbenchIn = (options: WorkbenchOptions): WorkbenchContext => ({
  workspace: workspaceAt(options.folder, options.vectors),
  actor: options.actor ?? options.user ?? "unknown",
  isActorNamed: options.actor !== undefined,
  clock: options.clock ?? systemClock,
  signal: options.signal ?? new AbortController().signal,
  progress: options.progress ?? silentProgress,
  env: options.env ?? {},
});

/**
 * Opens a workspace: the folder with the history, the keys, the trust policy and the reports. Creates the folder and
 * the history if missing. Nothing stays open between calls, so there is nothing to close, and several processes may use
 * the same folder.
 *
 * @example const workbench = await openWorkbench({ folder: "sluice-workspace", actor: "ann" });
 * @throws {SluiceError} PACKAGE_MISSING  SQLite (better-sqlite3, an optional package) is not installed
 * @throws {SluiceError} WRITE_FAILED, DB_NOT_OURS, DB_TOO_NEW, HISTORY_TAMPERED, DB_BUSY
 */
export async function openWorkbench(options: WorkbenchOptions): Promise<WorkbenchContext> {
  const workbench = workbenchIn(options);
  await createWorkspace(workbench.workspace);
  const { openHistory } = await import("../store/history/open.js");
  openHistory(workbench.workspace.history, { create: true }).close();
  return workbench;
}
