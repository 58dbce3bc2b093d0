import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "typebox";
import { syncFolder, writeNewFile } from "../../src/artifacts/write-new-file.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { closed } from "../../src/domain/primitives.js";
import { SluiceError } from "../../src/errors/error.js";
import { LeafBodySchema, type LeafFields, leafBody } from "../history/entry.js";
import { historyKinds } from "../history/history-kind.js";
import { makeFolders } from "../make-folders.js";

/**
 * A history as a folder that several machines see:
 *
 *   history.json           format and origin (the leaf hash of entry 1)
 *   entries/00000001       the canonical JSON of an entry, as its leaf hash covers it; from 1 without gaps
 *   blobs/sha256/DIGEST    records and attachments
 *   tmp/                   files that are being written
 *
 * A file gets its name only when it is whole and on the disk, an entry only after its blobs, and no name is given twice:
 * at every moment the folder holds a whole history, whoever is interrupted.
 */
export interface SharedFolder {
  readonly path: string;
  readonly origin: string;
  /** Number of entries. */
  readonly size: number;
}

const FolderSchema = Type.Object(
  { schema_version: Type.Literal(1), kind: Type.Literal("sluice-history"), origin: Type.String() },
  closed,
);

const leftOverMs = 86_400_000;
const markerOf = (path: string): string => join(path, "history.json");
const entriesOf = (path: string): string => join(path, "entries");
const blobsOf = (path: string): string => join(path, "blobs", "sha256");
const entryName = (seq: number): string => String(seq).padStart(8, "0");

/** The history of a folder; null where the folder is missing or empty. @throws {SluiceError} DB_NOT_OURS, READ_FAILED */
export async function openSharedFolder(path: string): Promise<SharedFolder | null> {
  if (!existsSync(markerOf(path))) {
    const found = existsSync(path) ? await readdir(path) : [];
    if (found.every((name) => parts.includes(name))) return null;
    throw new SluiceError("DB_NOT_OURS", `${path}: contains other files, and no history`, {
      hint: "Use an empty folder, or the folder of a history.",
    });
  }
  const marker = checkSchema(FolderSchema, parse(await readFile(markerOf(path)), markerOf(path)), markerOf(path));
  const names = new Set(existsSync(entriesOf(path)) ? await readdir(entriesOf(path)) : []);
  let size = 0;
  while (names.has(entryName(size + 1))) size += 1;
  return { path, origin: marker.origin, size };
}

const parts: readonly string[] = ["entries", "blobs", "tmp"];

/** Makes the folder of a new history. @throws {SluiceError} HISTORY_FORK  somebody made it for another history */
export async function createSharedFolder(path: string, origin: string): Promise<SharedFolder> {
  for (const folder of [entriesOf(path), blobsOf(path), join(path, "tmp")]) await makeFolders(folder);
  const marker = canonicalBytes({ schema_version: 1, kind: "sluice-history", origin });
  await place(path, markerOf(path), marker);
  const made = await openSharedFolder(path);
  if (made?.origin === origin) return made;
  throw new SluiceError("HISTORY_FORK", `${path}: another history was put there at the same time`, {
    hint: "Use a folder for each history.",
  });
}

/** Deletes files that an interrupted push left; not those of another push that is under way. */
export async function removeLeftOvers({ path }: SharedFolder, nowMs: number): Promise<void> {
  const folder = join(path, "tmp");
  for (const name of existsSync(folder) ? await readdir(folder) : []) {
    const file = join(folder, name);
    const made = await stat(file).catch(() => null);
    if (made !== null && nowMs - made.mtimeMs > leftOverMs) await rm(file, { force: true });
  }
}

/** The fields of an entry, and its bytes. */
export interface SharedEntry {
  readonly fields: LeafFields;
  readonly body: Buffer;
}

/** Reads an entry. @param seq  from 1 to `size` @throws {SluiceError} ENTRY_TAMPERED, DB_TOO_NEW */
export async function readSharedEntry({ path }: SharedFolder, seq: number): Promise<SharedEntry> {
  const file = join(entriesOf(path), entryName(seq));
  const body = await readFile(file).catch((cause: unknown) => {
    throw new SluiceError("READ_FAILED", `${file}: cannot be read`, { cause });
  });
  const { record_sha256: sha256, kind: named, ...rest } = checkSchema(LeafBodySchema, parse(body, file), file);
  const kind = historyKinds.find((known) => known === named);
  if (kind === undefined) {
    throw new SluiceError("DB_TOO_NEW", `${file}: an entry of kind ${named}, which this Sluice does not know`, {
      hint: "Use the Sluice version that wrote it, or a newer one.",
    });
  }
  const fields: LeafFields = { ...rest, kind, sha256 };
  if (fields.seq !== seq || !leafBody(fields).equals(body)) {
    throw new SluiceError("ENTRY_TAMPERED", `${file}: is not entry ${seq} as it was written`);
  }
  return { fields, body };
}

/** Bytes of a blob. @throws {SluiceError} ENTRY_TAMPERED  they are missing or have another digest */
export async function readSharedBlob({ path }: SharedFolder, sha256: Sha256): Promise<Buffer> {
  const file = join(blobsOf(path), sha256);
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new SluiceError("ENTRY_TAMPERED", `${file}: is missing`, { cause });
  });
  if (sha256Hex(bytes) === sha256) return bytes;
  throw new SluiceError("ENTRY_TAMPERED", `${file}: its bytes have a different digest`);
}

/** Writes a blob that the folder lacks. @returns its bytes; 0 when it was there */
export async function writeSharedBlob({ path }: SharedFolder, sha256: Sha256, bytes: Buffer): Promise<number> {
  const file = join(blobsOf(path), sha256);
  if (existsSync(file)) return 0;
  await place(path, file, bytes);
  return bytes.length;
}

export const hasSharedBlob = ({ path }: SharedFolder, sha256: Sha256): boolean =>
  existsSync(join(blobsOf(path), sha256));

/**
 * Writes the next entry, after its blobs.
 * @returns false: the folder has an entry of this number, which somebody wrote meanwhile
 */
export async function writeSharedEntry({ path }: SharedFolder, seq: number, body: Buffer): Promise<boolean> {
  await syncFolder(blobsOf(path));
  return place(path, join(entriesOf(path), entryName(seq)), body);
}

/** Gives a whole file its name; false when the name is taken. @throws {SluiceError} WRITE_FAILED */
async function place(folder: string, file: string, bytes: Buffer): Promise<boolean> {
  const staged = join(folder, "tmp", randomBytes(8).toString("hex"));
  await writeNewFile(staged, bytes, 0o644);
  try {
    await link(staged, file);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw new SluiceError("WRITE_FAILED", `${file}: cannot be written (${code ?? "no code"})`, {
      hint: "The folder must be on a file system with hard links, as NFS and local ones are.",
      cause,
    });
  } finally {
    await rm(staged, { force: true });
  }
}

function parse(bytes: Buffer, what: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new SluiceError("ENTRY_TAMPERED", `${what}: is not JSON`, { cause });
  }
}
