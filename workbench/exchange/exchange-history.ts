import { SluiceError } from "../../src/errors/error.js";
import type { Sha256 } from "../../src/digest/sha256.js";
import { counted } from "../../src/domain/number-text.js";
import { appendLeaf, type CompactRange, emptyRange, leafHash, rootOf } from "../history/merkle.js";
import type { History } from "../history/open.js";
import { entryBody, getBlob, hasBlob } from "../history/read.js";
import { historyOrigin } from "../history/require-head.js";
import { treeHead, treeSize } from "../history/tree.js";
import { appendCopy } from "../history/write.js";
import type { WorkbenchContext } from "../workbench-context.js";
import {
  createSharedFolder,
  hasSharedBlob,
  openSharedFolder,
  readSharedBlob,
  readSharedEntry,
  removeLeftOvers,
  type SharedFolder,
  writeSharedBlob,
  writeSharedEntry,
} from "./shared-folder.js";

/** What moved between a workspace and a folder. */
export interface Exchanged {
  /** Entries and blobs that moved, and their bytes. */
  readonly entries: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Entries on both sides now. */
  readonly size: number;
  /** Merkle root over them, lower-case hex. */
  readonly root: string;
  /** Entries that the other side has in addition: pull before a push, push after a pull. */
  readonly ahead: number;
}

type Watch = Pick<WorkbenchContext, "signal" | "progress" | "clock">;

/**
 * Copies the entries that a folder lacks into it, each after the blobs that it lacks. An interrupted push resumes where it
 * stopped; of two pushes at once, one finds the entry of the other.
 * @throws {SluiceError} HISTORY_FORK  both sides have other entries; nothing was changed, or all before the other's
 * @throws {SluiceError} RECORD_NOT_FOUND  the history is empty
 * @throws {SluiceError} DB_NOT_OURS, ENTRY_TAMPERED, WRITE_FAILED, INTERRUPTED
 */
export async function pushTo(folder: string, history: History, watch: Watch): Promise<Exchanged> {
  const origin = historyOrigin(history);
  if (origin === undefined) {
    throw new SluiceError("RECORD_NOT_FOUND", "the history is empty, so there is nothing to push");
  }
  const shared = (await openSharedFolder(folder)) ?? (await createSharedFolder(folder, origin));
  await removeLeftOvers(shared, watch.clock());
  const size = treeSize(history);
  await requireSameBeginning(history, shared, origin);
  const moved = { entries: 0, blobs: 0, bytes: 0 };
  watch.progress.start("push", Math.max(0, size - shared.size));
  for (let seq = shared.size + 1; seq <= size; seq += 1) {
    requireTime(watch, moved.entries);
    const { body, blobs } = ownEntry(history, seq);
    for (const sha256 of blobs) {
      if (hasSharedBlob(shared, sha256)) continue;
      moved.bytes += await writeSharedBlob(shared, sha256, getBlob(history, sha256));
      moved.blobs += 1;
    }
    if (!(await writeSharedEntry(shared, seq, body))) {
      const theirs = await readSharedEntry(shared, seq);
      if (!theirs.body.equals(body)) throw forked(history, shared, seq);
    }
    moved.entries += 1;
    watch.progress.update(moved.entries);
  }
  watch.progress.done();
  const root = treeHead(history, Math.max(size, 0)).root.toString("hex");
  return { ...moved, size, root, ahead: Math.max(0, shared.size - size) };
}

/**
 * Copies the entries of a folder that the history lacks into it; every blob is checked against its digest.
 * @throws {SluiceError} HISTORY_FORK  both sides have other entries; nothing was changed
 * @throws {SluiceError} FILE_NOT_FOUND  the folder has no history
 * @throws {SluiceError} DB_NOT_OURS, ENTRY_TAMPERED, DB_BUSY, DB_FULL, INTERRUPTED
 */
export async function pullFrom(folder: string, history: History, watch: Watch): Promise<Exchanged> {
  const shared = await openSharedFolder(folder);
  if (shared === null || shared.size === 0) {
    throw new SluiceError("FILE_NOT_FOUND", `${folder}: no history found here`, {
      hint: `Fill it from a workspace that has one: sluice history push ${folder}`,
    });
  }
  await requireSameBeginning(history, shared, historyOrigin(history) ?? shared.origin);
  const begun = treeSize(history);
  const moved = { entries: 0, blobs: 0, bytes: 0 };
  watch.progress.start("pull", Math.max(0, shared.size - begun));
  for (let seq = begun + 1; seq <= shared.size; seq += 1) {
    requireTime(watch, moved.entries);
    const { fields } = await readSharedEntry(shared, seq);
    const blobs = new Map<Sha256, Buffer>();
    for (const sha256 of new Set([fields.sha256, ...(fields.attachments as readonly Sha256[])])) {
      if (!hasBlob(history, sha256)) blobs.set(sha256, await readSharedBlob(shared, sha256));
    }
    appendCopy(history, { fields, blobs });
    moved.entries += 1;
    moved.blobs += blobs.size;
    for (const bytes of blobs.values()) moved.bytes += bytes.length;
    watch.progress.update(moved.entries);
  }
  watch.progress.done();
  const size = Math.min(treeSize(history), Math.max(shared.size, begun));
  return {
    ...moved,
    size,
    root: treeHead(history, size).root.toString("hex"),
    ahead: Math.max(0, begun - shared.size),
  };
}

function ownEntry(history: History, seq: number): { readonly body: Buffer; readonly blobs: readonly Sha256[] } {
  const body = entryBody(history, seq);
  if (body === undefined) throw new SluiceError("ENTRY_TAMPERED", `${history.path}: entry ${seq} is missing`);
  const { record_sha256: record, attachments } = JSON.parse(body.toString("utf8")) as {
    readonly record_sha256: Sha256;
    readonly attachments: readonly Sha256[];
  };
  return { body, blobs: [...new Set([record, ...attachments])] };
}

/** The Merkle roots over the entries that both sides have must be equal; every body of the folder is read for that. */
async function requireSameBeginning(history: History, shared: SharedFolder, origin: string): Promise<void> {
  const common = Math.min(treeSize(history), shared.size);
  if (origin !== shared.origin) throw forked(history, shared, 1);
  let range: CompactRange = emptyRange;
  let differs: number | null = null;
  for (let seq = 1; seq <= common; seq += 1) {
    const { body } = await readSharedEntry(shared, seq);
    range = appendLeaf(range, leafHash(body)).range;
    if (differs === null && entryBody(history, seq)?.equals(body) !== true) differs = seq;
  }
  if (differs !== null || (common > 0 && !treeHead(history, common).root.equals(rootOf(range)))) {
    throw forked(history, shared, differs ?? 1);
  }
}

function forked(history: History, shared: SharedFolder, seq: number): SluiceError {
  const here = treeSize(history) - seq + 1;
  const there = shared.size - seq + 1;
  const text = `${history.path} and ${shared.path} differ, starting with entry ${seq}: ${counted(here, "entry", "entries")} here, ${there} there`;
  return new SluiceError("HISTORY_FORK", text, {
    hint: "Nothing was changed. Pull into a new workspace, and do there again what only this one has: sluice history log",
    details: { seq, here, there },
  });
}

function requireTime({ signal, progress }: Watch, done: number): void {
  if (!signal.aborted) return;
  progress.done();
  throw new SluiceError("INTERRUPTED", `stopped after ${counted(done, "entry", "entries")}`, {
    hint: "Run the same command again: it continues where it stopped.",
  });
}
