import { checkOpens } from "./check.js";
import { isThere, type WorkspaceCheck } from "./workspace-check.js";
import { openHistory } from "../history/open.js";
import { treeSize } from "../history/tree.js";

/** Opens the history and counts its entries; `history verify` checks every byte. */
export const checkHistory: WorkspaceCheck = async (workspace) => {
  if (!(await isThere(workspace.history))) return [];
  const check = await checkOpens("history", "Restore it from a backup: sluice history restore FILE", async () => {
    const history = openHistory(workspace.history, { readOnly: true });
    try {
      return `${workspace.history}: opens, ${treeSize(history)} entries; for a full check: sluice history verify`;
    } finally {
      history.close();
    }
  });
  return [check];
};
