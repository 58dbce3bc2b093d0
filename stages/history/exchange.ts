import { command, say, SluiceError } from "../../src/base/error.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { counted } from "../../src/documents/number-text.js";
import type { LeafFields } from "../../store/history/entry.js";
import type { History } from "../../store/history/open.js";
import { blobSize, entryBody, getBlob } from "../../store/history/read.js";
import { damageOf, recordReaders } from "../../store/records/record-readers.js";
import { shortId } from "../../src/base/text.js";
import { appendLeaf, leafHash, rootOf } from "../../store/history/merkle.js";
import { readRange, treeHead, treeSize } from "../../store/history/tree.js";
import { appendCopy } from "../../store/history/write.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import {
  changedEntry,
  createSharedFolder,
  entryFile,
  hasSharedBlob,
  openSharedFolder,
  readEntryFile,
  readSharedBlob,
  readSharedEntry,
  removeLeftOvers,
  type SharedFolder,
  writeHead,
  writeSharedBlob,
  writeSharedEntry,
} from "./shared-folder.js";

/** Result of an exchange between a workspace and a folder. */
export interface Exchanged {
  /** Number of transferred entries and blobs, and their bytes. */
  readonly entries: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Number of entries on both sides after the exchange. */
  readonly size: number;
  /** Merkle root of these entries, lower-case hex. */
  readonly root: string;
  /** Number of additional entries on the other side: pull before a push, push after a pull. */
  readonly ahead: number;
}

type Watch = Pick<WorkbenchContext, "signal" | "progress" | "clock">;

/**
 * Copies missing entries into a folder, each after its missing blobs. An interrupted push resumes where it stopped. Of
 * two simultaneous pushes, one detects the entry of the other.
 * @throws {SluiceError} HISTORY_FORK  the sides have different entries; nothing was changed, or only the entries before
 *   the other's were added
 * @throws {SluiceError} RECORD_NOT_FOUND  the history is empty
 * @throws {SluiceError} DB_NOT_OURS, HISTORY_TAMPERED, WRITE_FAILED, INTERRUPTED
 */
export async function pushTo(folder: string, history: History, watch: Watch): Promise<Exchanged> {
  const size = treeSize(history);
  if (size === 0) throw new SluiceError("RECORD_NOT_FOUND", "the history is empty, so there is nothing to push");
  const shared = (await openSharedFolder(folder)) ?? (await createSharedFolder(folder));
  await requireSameBeginning(history, shared);
  await removeLeftOvers(shared, watch.clock());
  const moved = { entries: 0, blobs: 0, bytes: 0 };
  watch.progress.start("push", Math.max(0, size - shared.size));
  try {
    for (let seq = shared.size + 1; seq <= size; seq += 1) {
      requireTime(watch, moved.entries);
      const entry = ownEntry(history, seq);
      for (const sha256 of entry.blobs) {
        if (hasSharedBlob(shared, sha256)) continue;
        moved.bytes += await writeSharedBlob(shared, sha256, getBlob(history, sha256));
        moved.blobs += 1;
      }
      if (!(await writeSharedEntry(shared, seq, entry.file))) {
        const theirs = await readEntryFile(shared, seq);
        if (!theirs.equals(entry.file)) throw forked(history, { ...shared, size: seq }, seq);
      }
      moved.entries += 1;
      watch.progress.update(moved.entries);
    }
  } finally {
    watch.progress.done();
    await writeHead(shared);
  }
  const root = treeHead(history, size).root.toString("hex");
  return { ...moved, size, root, ahead: Math.max(0, shared.size - size) };
}

/**
 * Copies the missing entries of a folder into the history; every blob is checked against its digest.
 * @throws {SluiceError} HISTORY_FORK  the sides have different entries; nothing was changed
 * @throws {SluiceError} FILE_NOT_FOUND  the folder has no history
 * @throws {SluiceError} DB_NOT_OURS, HISTORY_TAMPERED, DB_BUSY, WRITE_FAILED, INTERRUPTED
 */
export async function pullFrom(folder: string, history: History, watch: Watch): Promise<Exchanged> {
  const shared = await openSharedFolder(folder);
  if (shared === null || shared.size === 0) {
    throw new SluiceError("FILE_NOT_FOUND", `${folder}: no history found here`, {
      hint: say`Fill it from a workspace that has one: ${command`sluice history push ${folder}`}`,
    });
  }
  await requireSameBeginning(history, shared);
  const begun = treeSize(history);
  const held = await quarantinedIn(shared, begun);
  let range = readRange(history, begun);
  const moved = { entries: 0, blobs: 0, bytes: 0 };
  watch.progress.start("pull", Math.max(0, shared.size - begun));
  for (let seq = begun + 1; seq <= shared.size; seq += 1) {
    requireTime(watch, moved.entries);
    const entry = await readSharedEntry(shared, seq);
    range = appendLeaf(range, leafHash(entry.body)).range;
    if (!entryFile(entry.body, rootOf(range)).equals(entry.file)) throw changedEntry(shared, seq);
    const blobs = await missingBlobs(history, shared, entry.fields);
    requireReadable(shared, { ...entry.fields, bytes: blobs.get(entry.fields.sha256) }, held);
    appendCopy(history, { fields: entry.fields, blobs });
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

/** The damaged records that entries of the folder quarantine, `kind` and id in one text. */
async function quarantinedIn(shared: SharedFolder, begun: number): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (let seq = begun + 1; seq <= shared.size; seq += 1) {
    const { fields } = await readSharedEntry(shared, seq);
    if (fields.kind !== "quarantine") continue;
    const { records } = recordReaders.quarantine(await readSharedBlob(shared, fields.sha256), `entry ${seq}`);
    for (const { kind, sha256 } of records) held.add(`${kind}${sha256}`);
  }
  return held;
}

/** @throws {SluiceError} DOCUMENT_INVALID  no command could read the record, and no later entry quarantines it */
function requireReadable(
  shared: SharedFolder,
  { seq, kind, sha256, bytes }: Pick<LeafFields, "seq" | "kind" | "sha256"> & { readonly bytes: Buffer | undefined },
  held: ReadonlySet<string>,
): void {
  const problem = bytes === undefined || held.has(`${kind}${sha256}`) ? null : damageOf(kind, bytes);
  if (problem === null) return;
  throw new SluiceError("DOCUMENT_INVALID", `${shared.path}: entry ${seq}, ${kind} ${shortId(sha256)}: ${problem}`, {
    hint: say`In the workspace that pushed it: ${command`sluice history repair --quarantine`}, then ${command`sluice history push`}. Then pull again.`,
  });
}

const blobsOf = ({ sha256, attachments }: Pick<LeafFields, "sha256" | "attachments">): readonly Sha256[] => [
  ...new Set([sha256, ...(attachments as readonly Sha256[])]),
];

/** The bytes of the blobs of an entry that the history lacks, read from the folder. */
async function missingBlobs(
  history: History,
  shared: SharedFolder,
  fields: LeafFields,
): Promise<ReadonlyMap<Sha256, Buffer>> {
  const blobs = new Map<Sha256, Buffer>();
  for (const sha256 of blobsOf(fields)) {
    if (blobSize(history, sha256) === undefined) blobs.set(sha256, await readSharedBlob(shared, sha256));
  }
  return blobs;
}

/** An entry of the history: its file in a folder, and the blobs it refers to. */
function ownEntry(history: History, seq: number): { readonly file: Buffer; readonly blobs: readonly Sha256[] } {
  const body = entryBody(history, seq);
  if (body === undefined) {
    throw new SluiceError("HISTORY_TAMPERED", `${history.path}: the body of entry ${seq} is missing`);
  }
  const { record_sha256: sha256, attachments } = JSON.parse(body.toString("utf8")) as {
    readonly record_sha256: Sha256;
    readonly attachments: readonly Sha256[];
  };
  return { file: entryFile(body, treeHead(history, seq).root), blobs: blobsOf({ sha256, attachments }) };
}

/** Requires that the last common entry is equal on both sides; its root covers all entries up to it. */
async function requireSameBeginning(history: History, shared: SharedFolder): Promise<void> {
  const isSame = async (seq: number): Promise<boolean> =>
    (await readEntryFile(shared, seq)).equals(ownEntry(history, seq).file);
  const common = Math.min(treeSize(history), shared.size);
  if (common === 0 || (await isSame(common))) return;
  // Invariant: entries up to `same` are equal on both sides, entry `other` is not.
  let [same, other] = [0, common];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (await isSame(middle)) same = middle;
    else other = middle;
  }
  throw forked(history, shared, other);
}

function forked(history: History, shared: SharedFolder, seq: number): SluiceError {
  const here = treeSize(history) - seq + 1;
  const there = shared.size - seq + 1;
  const text = `${history.path} and ${shared.path} differ, starting with entry ${seq}: ${counted(here, "entry", "entries")} here, ${there} there`;
  return new SluiceError("HISTORY_FORK", text, {
    hint: say`Nothing was changed. Pull into a new workspace, and repeat there what only this one contains: ${command`sluice history log`}`,
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
