import { access, constants, stat } from "node:fs/promises";
import type { Workspace } from "../workspace.js";
import type { Check } from "./check.js";

/** Checks one kind of item of a workspace; returns an empty list when there is none. Writes nothing. */
export type WorkspaceCheck = (workspace: Workspace, nowMs: number) => Promise<readonly Check[]>;

/** Whether a file or folder is there. */
export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Whether this process may write to a folder. */
export const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
