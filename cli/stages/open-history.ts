import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../../src/history/open.js";
import type { CommandContext } from "../context.js";
import { createWorkspace } from "../workspace.js";
import type { Stage } from "./stage.js";

/**
 * Runs a piece of work with the history of the workspace and closes it again.
 * @param create  begin a new workspace when there is none
 * @throws {SluiceError} FILE_NOT_FOUND without a workspace, and those of the work
 */
export async function withHistory<T>(
  context: CommandContext,
  options: { readonly create: boolean },
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  if (options.create) await createWorkspace(context.workspace);
  const history = await open(context, options.create);
  try {
    return await work({ history, actor: context.env["USER"] ?? "unknown", context });
  } finally {
    history.close();
  }
}

async function open(context: CommandContext, create: boolean): Promise<History> {
  const { openHistory } = await import("../../src/history/open.js");
  try {
    return openHistory(context.workspace.history, { create });
  } catch (error) {
    if (!(error instanceof SluiceError) || error.code !== "FILE_NOT_FOUND") throw error;
    throw new SluiceError("FILE_NOT_FOUND", `${context.workspace.history}: no history in this workspace`, {
      hint: "Begin with: sluice dataset import FILE --catalog CATALOG, or: sluice quickstart",
      cause: error,
    });
  }
}
