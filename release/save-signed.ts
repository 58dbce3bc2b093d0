import { existsSync } from "node:fs";
import type { HistoryKind } from "../src/documents/choices.js";
import { hintOrRemedy, SluiceError, toSluiceError } from "../src/base/error.js";
import { withHistory, saveRecord } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export interface SignedDocument {
  readonly kind: Extract<HistoryKind, "trust" | "import">;
  readonly actor: string;
  readonly bytes: Uint8Array;
}

export interface StoredSigned {
  /** Number of the entry; null if the workspace has no history. */
  readonly entry: number | null;
}

/**
 * Adds something that has already happened to the history of the workspace, if there is one.
 * @param done  what has happened, for the error message
 * @throws {SluiceError} those of the history, such as WRITE_FAILED and DB_BUSY
 */
export async function saveSigned(
  context: WorkbenchContext,
  { kind, actor, bytes }: SignedDocument,
  done: string,
): Promise<StoredSigned> {
  if (!existsSync(context.workspace.history)) return { entry: null };
  try {
    return await withHistory(context, "write", async (session) => {
      const { seq } = saveRecord({ ...session, actor }, kind, bytes);
      return { entry: seq };
    });
  } catch (thrown) {
    const cause = toSluiceError(thrown);
    throw new SluiceError(cause.code, `${done}, but not recorded in the history: ${cause.message}`, {
      hint: hintOrRemedy(cause),
      cause,
    });
  }
}
