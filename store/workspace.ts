import { join } from "node:path";
import { SluiceError } from "../src/base/error.js";
import { makeFolders } from "./make-folders.js";

/** Paths of a workspace, which need not exist. */
export interface Workspace {
  readonly directory: string;
  readonly history: string;
  readonly trust: string;
  readonly bundle: string;
  readonly report: string;
  readonly keys: string;
  readonly models: string;
  readonly queueKey: string;
  /** Embedding cache of catalog and requests. Workspaces may share it; it is safe to delete. */
  readonly vectors: string;
}

/** Paths of the workspace in a folder. @param vectors folder of the embedding cache, if outside the workspace */
export function workspaceAt(directory: string, vectors: string = join(directory, "vectors")): Workspace {
  return {
    directory,
    history: join(directory, "history.db"),
    trust: join(directory, "trust.json"),
    bundle: join(directory, "bundle"),
    report: join(directory, "report.html"),
    keys: join(directory, "keys"),
    queueKey: join(directory, "queue.key"),
    models: join(directory, "models"),
    vectors,
  };
}

/** Creates the folder if it is missing; for commands that write. @throws {SluiceError} WRITE_FAILED */
export async function createWorkspace(workspace: Workspace): Promise<void> {
  await makeFolders(workspace.directory).catch((cause: NodeJS.ErrnoException) => {
    throw new SluiceError("WRITE_FAILED", `${workspace.directory}: cannot be created (${cause.code ?? "no code"})`, {
      hint: "Choose a writable folder with --workspace.",
      cause,
    });
  });
}
