import { type Exchanged, pullFrom, pushTo } from "./exchange/exchange-history.js";
import { requireKeptHeads } from "../../store/history/require-head.js";
import { verifyAgainst } from "./history-checkpoint.js";
import { withHistory } from "../../store/records/with-history.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { type OutsideCheckpoints, readOutside } from "./verify-history.js";

/**
 * Appends the entries of the workspace to the history of a folder that the team sees, and only what the folder lacks. The
 * history is checked against its own checkpoints before.
 *
 * @example await pushHistory(workbench, "/mnt/team/history");
 * @throws {SluiceError} HISTORY_FORK  somebody else pushed other entries; and those of `pushTo`
 */
export async function pushHistory(workbench: WorkbenchContext, folder: string): Promise<Exchanged> {
  return withHistory(workbench, "read", async ({ history }) => {
    requireKeptHeads(history);
    return pushTo(folder, history, workbench);
  });
}

/**
 * Appends the entries of a folder's history to the workspace, which is created when missing, and checks the result against
 * the checkpoints in it and those given.
 *
 * @example await pullHistory(workbench, "/mnt/team/history", { checkpoints: ["2026-03-01.checkpoint"] });
 * @throws {SluiceError} HISTORY_FORK  this workspace has other entries; and those of `pullFrom`
 * @throws {SluiceError} HISTORY_TRUNCATED, SIGNATURE_INVALID, CHECKPOINT_INVALID
 */
export async function pullHistory(
  workbench: WorkbenchContext,
  folder: string,
  outside: OutsideCheckpoints = {},
): Promise<Exchanged> {
  const { key, files } = await readOutside(outside);
  return withHistory(workbench, "write", async ({ history }) => {
    const exchanged = await pullFrom(folder, history, workbench);
    requireKeptHeads(history);
    for (const { file, bytes } of files) verifyAgainst(history, bytes, file, key);
    return exchanged;
  });
}
