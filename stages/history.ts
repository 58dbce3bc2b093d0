import { argument, type OptionsOf, requiredArgument, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { listOptions, pullOptions, restoreOptions, verifyHistoryOptions } from "./options/history.js";
import { readPublicKey } from "./keys.js";
import type { HistoryKind } from "../src/documents/choices.js";
import type { RecordDocuments } from "../store/records/record-readers.js";
import { readRecord, type Stored } from "../store/records/read-records.js";
import { type HistoryEntry } from "../store/history/entry.js";
import { listEntries } from "../store/history/read.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { backupHistory } from "../store/history/backup.js";
import { openHistory } from "../store/history/open.js";
import type { VerifiedHistory } from "../store/history/verify.js";
import {
  keepCheckpoint,
  type MadeCheckpoint,
  makeCheckpoint,
  verifyAgainst,
  verifyWhole,
} from "./history/checkpoint.js";
import { readInput, writeNewFile } from "../src/base/files.js";
import { createWorkspace } from "../store/workspace.js";
import { utcSeconds } from "../src/base/text.js";
import { collectUnused, type UnusedBlob, unusedBlobs } from "../store/history/collect.js";
import { damagedRecords, quarantineDamaged } from "../store/records/repair.js";
import { openSigner, type SignerSource } from "../release/signing/sign-statement.js";
import { requireKeptHeads } from "../store/history/require-head.js";
import { type Exchanged, pullFrom, pushTo } from "./history/exchange.js";

const openMode = 0o644;

export type ListRecordsOptions = OptionsOf<typeof listOptions>;

/**
 * Lists the entries of the history, oldest first. The id of a record is the `sha256` of its entry.
 *
 * @example const runs = await listRecords(workbench, { kind: "run" });
 * @throws {SluiceError} FILE_NOT_FOUND  there is no history; DB_BUSY
 */
export async function listRecords(
  workbench: WorkbenchContext,
  options: ListRecordsOptions = {},
): Promise<readonly HistoryEntry[]> {
  const { kind, writtenBy: actor, since, before: until } = resolveOptions("listRecords", listOptions, options);
  return withHistory(workbench, "read", async ({ history }) => listEntries(history, { kind, actor, since, until }));
}

/** Record to read. */
export interface ReadStoredOptions<K extends HistoryKind> {
  readonly kind: K;
  /** Record id or its beginning, at least four digits. Default: the latest of its kind. */
  readonly id?: string | undefined;
}

const readStoredOptions = {
  kind: requiredArgument<HistoryKind>("string"),
  id: argument<string>("string"),
} as const;

/**
 * Reads one record. Its document is validated and typed by its kind.
 *
 * @example const { document } = await readStored(workbench, { kind: "calibration" });
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, HISTORY_TAMPERED, DOCUMENT_INVALID
 */
export async function readStored<K extends HistoryKind>(
  workbench: WorkbenchContext,
  options: ReadStoredOptions<K>,
): Promise<Stored<RecordDocuments[K]>> {
  resolveOptions("readStored", readStoredOptions, options);
  return withHistory(workbench, "read", async ({ history }) => readRecord(history, options.kind, options.id));
}

/** External checkpoints that a history must contain. */
export type OutsideCheckpoints = OptionsOf<typeof verifyHistoryOptions>;

/** A history in which every byte matches its digests. */
export interface VerifiedWorkspace extends VerifiedHistory {
  readonly path: string;
  readonly checkpoints: readonly { readonly file: string; readonly size: number; readonly signed_by: string | null }[];
}

/**
 * Checks every byte of the history of the workspace, and that it contains the given checkpoints.
 *
 * @example await verifyWorkspace(workbench, { checkpoint: ["2026-03-01.checkpoint"], publicKey: "audit.pub.pem" });
 * @throws {SluiceError} HISTORY_CORRUPT  and the other errors of `verifyHistory`; SIGNATURE_INVALID
 */
export async function verifyWorkspace(
  workbench: WorkbenchContext,
  outside: OutsideCheckpoints = {},
): Promise<VerifiedWorkspace> {
  const { key, files } = await readOutside(resolveOptions("verifyWorkspace", verifyHistoryOptions, outside));
  return withHistory(workbench, "read", async ({ history }) => {
    const verified = verifyWhole(history);
    const checkpoints = files.map(({ file, bytes }) => {
      const { size } = verifyAgainst(history, bytes, file, key);
      return { file, size, signed_by: key === null ? null : key.keyId };
    });
    return { ...verified, path: history.path, checkpoints };
  });
}

/**
 * Verifies a backup and copies it into a workspace that has no history.
 *
 * @throws {SluiceError} FILE_EXISTS, and the errors of `verifyWorkspace`
 */
export async function restoreWorkspace(
  { workspace }: WorkbenchContext,
  backup: string,
  outside: OutsideCheckpoints = {},
): Promise<VerifiedHistory> {
  const { key, files } = await readOutside(resolveOptions("restoreWorkspace", restoreOptions, outside));
  const history = openHistory(backup, { readOnly: true });
  try {
    verifyWhole(history);
    for (const { file, bytes } of files) verifyAgainst(history, bytes, file, key);
    await createWorkspace(workspace);
    return await backupHistory(history, workspace.history);
  } finally {
    history.close();
  }
}

/**
 * Verifies the history and copies it to a new file.
 *
 * @throws {SluiceError} FILE_EXISTS, and the errors of `verifyWorkspace`
 */
export async function backupWorkspace(workbench: WorkbenchContext, file: string): Promise<VerifiedHistory> {
  return withHistory(workbench, "read", async ({ history }) => backupHistory(history, file));
}

/** Blobs that no entry refers to, and the entry that lists them once they are deleted. */
export interface UnusedBlobs {
  readonly blobs: readonly UnusedBlob[];
  /** Number of the entry; null if nothing was deleted. */
  readonly entry: number | null;
}

/**
 * Lists the records that no reader accepts; with `quarantine`, appends an entry that makes readers pass over them.
 * @throws {SluiceError} FILE_NOT_FOUND  there is no history; HISTORY_TAMPERED, DB_BUSY, WRITE_FAILED
 */
export async function repairHistory(
  workbench: WorkbenchContext,
  quarantine: boolean,
): Promise<ReturnType<typeof quarantineDamaged>> {
  return withHistory(workbench, quarantine ? "write" : "read", async (session) =>
    quarantine ? quarantineDamaged(session) : { records: damagedRecords(session.history), entry: null },
  );
}

/**
 * Finds the blobs that no entry refers to, for example from an interrupted import.
 * @param remove  whether to delete them and append an entry that lists them
 * @throws {SluiceError} FILE_NOT_FOUND, DB_BUSY, WRITE_FAILED
 */
export async function unusedOfHistory(workbench: WorkbenchContext, remove: boolean): Promise<UnusedBlobs> {
  return withHistory(workbench, remove ? "write" : "read", async ({ history, actor }) => {
    if (!remove) return { blobs: unusedBlobs(history), entry: null };
    const { blobs, entry } = collectUnused(history, actor, utcSeconds(workbench.clock()));
    return { blobs, entry: entry?.seq ?? null };
  });
}

/** A signed checkpoint, its optional file, and its entry. */
export interface SavedCheckpoint extends MadeCheckpoint {
  readonly keyId: string;
  readonly entry: number;
}

/**
 * Verifies the history, signs its size and root, and stores the checkpoint as an entry.
 * @param out  file to write in addition
 * @throws {SluiceError} RECORD_NOT_FOUND  the history is empty; FILE_EXISTS, and the errors of
 *   `verifyWorkspace` and of signing
 */
export async function signCheckpoint(
  workbench: WorkbenchContext,
  signer: SignerSource,
  out?: string,
): Promise<SavedCheckpoint> {
  return withHistory(workbench, "write", async (session) => {
    const opened = await openSigner(signer);
    const made = await makeCheckpoint(session.history, opened);
    if (out !== undefined) await writeNewFile(out, made.bytes, openMode);
    return { ...made, keyId: opened.keyId, entry: keepCheckpoint(session, made) };
  });
}

/** Reads checkpoints and the key that signed them. */
async function readOutside({ checkpoint: checkpoints, publicKey }: ValuesOf<typeof verifyHistoryOptions>) {
  const key = publicKey === undefined ? null : await readPublicKey(publicKey);
  return { key, files: await Promise.all(checkpoints.map(async (file) => ({ file, bytes: await readInput(file) }))) };
}

/**
 * Appends the entries of the workspace that are missing from the history of a shared folder. The history is first
 * checked against its own checkpoints.
 *
 * @example await pushHistory(workbench, "/mnt/team/history");
 * @throws {SluiceError} HISTORY_FORK  somebody else pushed different entries; and the errors of `pushTo`
 */
export async function pushHistory(workbench: WorkbenchContext, folder: string): Promise<Exchanged> {
  return withHistory(workbench, "read", async ({ history }) => {
    requireKeptHeads(history);
    return pushTo(folder, history, workbench);
  });
}

/**
 * Appends the missing entries of a folder's history to the workspace, which is created if missing. Checks the result
 * against the checkpoints in it and the given ones.
 *
 * @example await pullHistory(workbench, "/mnt/team/history", { checkpoint: ["2026-03-01.checkpoint"] });
 * @throws {SluiceError} HISTORY_FORK  this workspace has different entries; and the errors of `pullFrom`
 * @throws {SluiceError} HISTORY_TAMPERED, SIGNATURE_INVALID, NOT_CANONICAL
 */
export async function pullHistory(
  workbench: WorkbenchContext,
  folder: string,
  outside: OutsideCheckpoints = {},
): Promise<Exchanged> {
  const { key, files } = await readOutside(resolveOptions("pullHistory", pullOptions, outside));
  return withHistory(workbench, "write", async ({ history }) => {
    const exchanged = await pullFrom(folder, history, workbench);
    requireKeptHeads(history);
    for (const { file, bytes } of files) verifyAgainst(history, bytes, file, key);
    return exchanged;
  });
}
