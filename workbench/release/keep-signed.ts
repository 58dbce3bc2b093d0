import { existsSync } from "node:fs";
import type { HistoryKind } from "../history/history-kind.js";
import { SluiceError } from "../../src/errors/error.js";
import { withHistory } from "../records/with-history.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { keepRecord } from "../records/stage.js";

export interface SignedDocument {
  readonly kind: Extract<HistoryKind, "revocation" | "trust" | "import">;
  readonly actor: string;
  readonly bytes: Uint8Array;
}

export interface KeptSigned {
  /** Number of the entry; null when the workspace has no history or it could not be written. */
  readonly entry: number | null;
  readonly warnings: readonly string[];
}

/**
 * Records something that has already happened in the history of the workspace, if there is one. A history that cannot
 * be written is a warning, because stopping a bundle must not depend on it.
 */
export async function keepSigned(
  context: WorkbenchContext,
  { kind, actor, bytes }: SignedDocument,
): Promise<KeptSigned> {
  if (!existsSync(context.workspace.history)) return { entry: null, warnings: [] };
  try {
    return await withHistory(context, "write", async (stage) => {
      const { seq } = keepRecord({ ...stage, actor }, kind, bytes);
      return { entry: seq, warnings: [] };
    });
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    return { entry: null, warnings: [`done, but not recorded in the history: ${thrown.code}: ${thrown.message}`] };
  }
}
