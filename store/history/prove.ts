import { SluiceError } from "../../src/base/error.js";
import { withDatabaseErrors } from "./database-error.js";
import type { History } from "./open.js";
import { consistencyPath } from "./proofs.js";
import { nodesOf, treeSize } from "./tree.js";

function requireSize(history: History, size: number): void {
  const entries = treeSize(history);
  if (size <= entries) return;
  throw new SluiceError(
    "HISTORY_TAMPERED",
    `${history.path}: ${entries} entries, expected at least ${size} for this proof`,
    {
      hint: "Check which history this is: sluice history verify --checkpoint FILE",
    },
  );
}

/**
 * Proves that the first `from` entries are a prefix of the first `to` entries.
 * @param from  1 to `to`
 * @throws {SluiceError} HISTORY_TAMPERED
 */
export function proveConsistency(history: History, from: number, to: number): readonly Buffer[] {
  return withDatabaseErrors(history.path, () => {
    requireSize(history, to);
    return consistencyPath(nodesOf(history), from, to);
  });
}
