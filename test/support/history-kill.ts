import { openHistory } from "../../store/history/open.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { listEntries } from "../../store/history/read.js";
import { verifyHistory } from "../../store/history/verify.js";
import { appendInProcess } from "./history-writer.js";

/** What was found after one writer was killed. */
export interface KillRound {
  /** Appends that had returned before. */
  readonly acknowledged: number;
  /** Of those, how many the history no longer holds. */
  readonly lost: number;
  /** Entries afterwards; the whole history verified. */
  readonly entries: number;
}

/**
 * Starts a process that appends to a history, kills it (SIGKILL) once a number of appends were acknowledged, while it
 * works on the next ones, and verifies the history.
 * @param after  acknowledged appends until the kill; 0 kills it while it starts and creates the file
 */
export async function killWriter(path: string, name: string, after: number): Promise<KillRound> {
  // Record sizes differ, so that kills fall into appends of one and of many pages.
  const size = 100 + ((after * 7919) % 50_000);
  const { acknowledged, error } = await appendInProcess({
    path,
    name,
    count: 1_000_000,
    size,
    onStarted: (child) => after === 0 && child.kill("SIGKILL"),
    onAcknowledged: (child, soFar) => soFar.length >= after && child.kill("SIGKILL"),
  });
  if (error !== null) throw new Error(`the writer failed before it was killed: ${error}`);
  const history = openHistory(path, { create: true });
  try {
    const { entries } = verifyHistory(history);
    const kept = new Set(listEntries(history).map(({ sha256 }) => sha256));
    return {
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((id) => !kept.has(id as Sha256)).length,
      entries,
    };
  } finally {
    history.close();
  }
}
