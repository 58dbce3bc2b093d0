import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, lstat, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Static, type TSchema, Type } from "../../src/base/typebox.js";
import { syncFolder, writeNewFile, readStoredFile, readStoredIfThere } from "../../src/base/files.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { type Sha256, sha256Hex } from "../../src/base/sha256.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { SluiceError } from "../../src/base/error.js";
import { leafBody, LeafBodySchema, type LeafFields } from "../../store/history/entry.js";
import { historyKinds } from "../../src/documents/choices.js";
import { makeFolders } from "../../store/make-folders.js";
import { object, Sha256Schema } from "../../src/documents/primitives.js";
import { emptyRange, rootOf } from "../../store/history/merkle.js";

/**
 * A history as a shared folder.
 *
 *   head.json              number of entries and the Merkle root over them; may lag behind, but never names a missing entry
 *   entries/00000001.json  an entry and the Merkle root over all entries up to it; from 1 without gaps
 *   blobs/sha256/DIGEST    records and attachments
 *   tmp/                   files that are being written
 *
 * A file gets its final name only when it is complete and on disk, an entry only after its blobs, the head after its
 * entry, and names of entries are never reused. The folder thus always contains a complete history, even after an
 * interruption.
 */
export interface SharedFolder {
  readonly path: string;
  readonly size: number;
}

const EntrySchema = object({ entry: LeafBodySchema, root: Sha256Schema });
const HeadSchema = object({
  schema_version: Type.Literal(1),
  size: Type.Integer({ minimum: 0 }),
  root: Sha256Schema,
});

const leftOverMs = 86_400_000;
const headOf = (path: string): string => join(path, "head.json");
const entriesOf = (path: string): string => join(path, "entries");
const blobsOf = (path: string): string => join(path, "blobs", "sha256");
const blobOf = (path: string, sha256: Sha256): string => join(blobsOf(path), sha256);
const entryName = (seq: number): string => `${String(seq).padStart(8, "0")}.json`;
const entryOf = (path: string, seq: number): string => join(entriesOf(path), entryName(seq));

const headBytes = (size: number, root: string): Buffer => canonicalBytes({ schema_version: 1, size, root });

/**
 * The file of an entry; equal histories have equal files, and different beginnings have different files.
 * @param body  the bytes of its leaf
 * @param root  Merkle root over all entries up to this one
 */
export const entryFile = (body: Uint8Array, root: Buffer): Buffer =>
  Buffer.from(`{"entry":${Buffer.from(body).toString("utf8")},"root":"${root.toString("hex")}"}`);

/**
 * Opens the history of a folder; null if the folder is missing or empty.
 * @throws {SluiceError} DB_NOT_OURS, READ_FAILED; HISTORY_TAMPERED  an entry or the head is missing
 */
export async function openSharedFolder(path: string): Promise<SharedFolder | null> {
  await requireRealFolders(path);
  const names = existsSync(path) ? await readdir(path) : [];
  const bytes = names.includes("head.json") ? await readStoredFile(headOf(path)) : null;
  if (bytes === null && !names.every((name) => parts.includes(name))) throw notOurs(path);
  const size = await countEntries(path);
  if (bytes !== null) {
    await requireNamed(path, checked(HeadSchema, bytes, headOf(path)), size);
    return { path, size };
  }
  if (size > 0) throw new SluiceError("HISTORY_TAMPERED", `${path}: ${size} entries, but head.json is missing`);
  return null;
}

const parts: readonly string[] = ["entries", "blobs", "tmp"];

function notOurs(path: string): SluiceError {
  return new SluiceError("DB_NOT_OURS", `${path}: contains other files but no history`, {
    hint: "Use an empty folder, or the folder of a history.",
  });
}

/**
 * Refuses parts that are links or other files: whoever can write the folder could otherwise make a push write into, or
 * delete from, a folder of the person who pushes. @throws {SluiceError} FILE_REFUSED
 */
async function requireRealFolders(path: string): Promise<void> {
  for (const folder of [join(path, "blobs"), blobsOf(path), entriesOf(path), join(path, "tmp")]) {
    const found = await lstat(folder).catch(() => null);
    if (found === null || found.isDirectory()) continue;
    throw new SluiceError("FILE_REFUSED", `${folder}: not a folder of its own, but a link or another file`, {
      hint: "Nothing was changed. Find out who replaced it, and restore the folder from a backup.",
    });
  }
}

/** Number of entries. @throws {SluiceError} HISTORY_TAMPERED  an entry is missing before a later one */
async function countEntries(path: string): Promise<number> {
  const names = (existsSync(entriesOf(path)) ? await readdir(entriesOf(path)) : []).filter((name) =>
    /^\d+\.json$/u.test(name),
  );
  const known = new Set(names);
  let size = 0;
  while (known.has(entryName(size + 1))) size += 1;
  if (names.length === size) return size;
  throw new SluiceError("HISTORY_TAMPERED", `${path}: entry ${size + 1} is missing, but later ones are there`);
}

/** Requires that the entry that the head names is there, and is that entry. @throws {SluiceError} HISTORY_TAMPERED */
async function requireNamed(path: string, head: Static<typeof HeadSchema>, size: number): Promise<void> {
  const named = head.size === 0 || head.size > size ? null : await readStoredFile(entryOf(path, head.size));
  const root = named === null ? emptyRoot : checked(EntrySchema, named, entryOf(path, head.size)).root;
  if (head.size <= size && root === head.root) return;
  const found = `${size} entries, but head.json names entry ${head.size}`;
  throw new SluiceError("HISTORY_TAMPERED", `${path}: ${found}, or its root differs`);
}

const emptyRoot = rootOf(emptyRange).toString("hex");

export async function createSharedFolder(path: string): Promise<SharedFolder> {
  for (const folder of [entriesOf(path), blobsOf(path), join(path, "tmp")]) await makeFolders(folder);
  await place(path, headOf(path), headBytes(0, emptyRoot));
  return { path, size: 0 };
}

/** Names of files that are being written: 16 hex digits. */
const stagedName = /^[0-9a-f]{16}$/u;

/** Deletes files of an interrupted push, but not those of another push in progress. */
export async function removeLeftOvers({ path }: SharedFolder, nowMs: number): Promise<void> {
  const folder = join(path, "tmp");
  for (const name of existsSync(folder) ? await readdir(folder) : []) {
    if (!stagedName.test(name)) continue;
    const file = join(folder, name);
    const made = await lstat(file).catch(() => null);
    if (made?.isFile() === true && nowMs - made.mtimeMs > leftOverMs) await rm(file, { force: true });
  }
}

/** An entry of the folder. Its root has not been compared with the entries before it. */
export interface SharedEntry {
  readonly fields: LeafFields;
  /** The bytes of its leaf. */
  readonly body: Buffer;
  readonly file: Buffer;
}

/** Reads an entry. @param seq  from 1 to `size` @throws {SluiceError} HISTORY_TAMPERED, DB_TOO_NEW */
export async function readSharedEntry(shared: SharedFolder, seq: number): Promise<SharedEntry> {
  const name = entryOf(shared.path, seq);
  const file = await readEntryFile(shared, seq);
  const { entry } = checked(EntrySchema, file, name);
  const { record_sha256: sha256, kind: written, ...rest } = entry;
  const kind = historyKinds.find((known) => known === written);
  if (kind === undefined) {
    throw new SluiceError(
      "DB_TOO_NEW",
      `${name}: an entry of kind ${written}, which this version of Sluice does not support`,
      {
        hint: "Use the Sluice version that wrote it, or a newer one.",
      },
    );
  }
  const fields: LeafFields = { ...rest, kind, sha256 };
  if (fields.seq !== seq) throw changedEntry(shared, seq);
  return { fields, body: leafBody(fields), file };
}

/** The error for an entry whose root does not match the entries up to it. */
export function changedEntry({ path }: SharedFolder, seq: number): SluiceError {
  return new SluiceError("HISTORY_TAMPERED", `${path}: does not have entry ${seq} as it was written`);
}

/** Reads the file of an entry. @throws {SluiceError} READ_FAILED, FILE_REFUSED */
export const readEntryFile = ({ path }: SharedFolder, seq: number): Promise<Buffer> =>
  readStoredFile(entryOf(path, seq));

/** Reads a blob. @throws {SluiceError} HISTORY_TAMPERED  it is missing or has a different digest */
export async function readSharedBlob({ path }: SharedFolder, sha256: Sha256): Promise<Buffer> {
  const file = blobOf(path, sha256);
  const bytes = await readStoredIfThere(file);
  if (bytes === null) throw new SluiceError("HISTORY_TAMPERED", `${file}: is missing`);
  if (sha256Hex(bytes) === sha256) return bytes;
  throw new SluiceError("HISTORY_TAMPERED", `${file}: its bytes have a different digest`);
}

/** Writes a blob. @returns  the number of written bytes; 0 if it existed */
export async function writeSharedBlob({ path }: SharedFolder, sha256: Sha256, bytes: Buffer): Promise<number> {
  const file = blobOf(path, sha256);
  if (existsSync(file)) return 0;
  await place(path, file, bytes);
  return bytes.length;
}

export const hasSharedBlob = ({ path }: SharedFolder, sha256: Sha256): boolean => existsSync(blobOf(path, sha256));

/**
 * Writes the next entry, after its blobs.
 * @returns  false: another process has written an entry with this number in the meantime
 */
export async function writeSharedEntry({ path }: SharedFolder, seq: number, file: Buffer): Promise<boolean> {
  await syncFolder(blobsOf(path));
  return place(path, entryOf(path, seq), file);
}

/** Updates the head to the last entry. */
export async function writeHead({ path }: SharedFolder): Promise<void> {
  const size = await countEntries(path);
  if (size === 0) return;
  await syncFolder(entriesOf(path));
  const { root } = checked(EntrySchema, await readStoredFile(entryOf(path, size)), entryOf(path, size));
  const head = headBytes(size, root);
  if ((await readStoredFile(headOf(path))).equals(head)) return;
  await rename(await staged(path, head), headOf(path));
  await syncFolder(path);
}

async function staged(folder: string, bytes: Buffer): Promise<string> {
  const file = join(folder, "tmp", randomBytes(8).toString("hex"));
  await writeNewFile(file, bytes, 0o644);
  return file;
}

/** Writes a file unless it exists. @returns  false: it exists @throws {SluiceError} WRITE_FAILED */
async function place(folder: string, name: string, bytes: Buffer): Promise<boolean> {
  const file = await staged(folder, bytes);
  try {
    await link(file, name);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw new SluiceError("WRITE_FAILED", `${name}: cannot be written (${code ?? "no code"})`, {
      hint: "The folder must be on a file system with hard links, such as NFS or local ones.",
      cause,
    });
  } finally {
    await rm(file, { force: true });
  }
}

function checked<S extends TSchema>(schema: S, bytes: Buffer, what: string): Static<S> {
  try {
    return checkSchema(schema, JSON.parse(bytes.toString("utf8")), what);
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError("HISTORY_TAMPERED", `${what}: is not JSON`, { cause });
  }
}
