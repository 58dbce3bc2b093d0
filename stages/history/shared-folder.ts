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
import { oci } from "../../release/bundle-files/oci-layout.js";
import { DescriptorSchema } from "../../release/bundle-files/read-oci-layout.js";

/**
 * A history as a shared folder: an OCI image layout in which each entry is an image manifest whose subject is the
 * manifest of the previous entry, so that the last one covers the whole history.
 *
 *   oci-layout             version of the layout
 *   index.json             names the manifest of the last entry; a convenience for other tools, which may lag behind
 *   blobs/sha256/DIGEST    records, attachments, entries and manifests
 *   entries/00000001       the manifest of an entry again; from 1 without gaps
 *   tmp/                   files that are being written
 *
 * A file gets its final name only when it is complete and on disk, an entry only after its blobs, and names are never
 * reused. The folder thus always contains a complete history, even after an interruption. In a copy without `entries`,
 * as some tools create, the manifests are followed from the last one. Source:
 * https://github.com/opencontainers/image-spec v1.1, image-layout.md and manifest.md
 */
export interface SharedFolder {
  readonly path: string;
  /** Number of entries. */
  readonly size: number;
  /** Manifests of a copy without `entries`, indexed by entry number minus 1; otherwise null. */
  readonly followed: readonly Sha256[] | null;
}

/** A blob that a manifest refers to. */
export interface SizedBlob {
  readonly sha256: Sha256;
  readonly size: number;
}

const entryType = "application/vnd.sluice.history.entry.v1";
const refName = "org.opencontainers.image.ref.name";

const ManifestSchema = Type.Object({
  artifactType: Type.Literal(entryType),
  config: DescriptorSchema,
  subject: Type.Optional(DescriptorSchema),
});
const IndexSchema = Type.Object({
  manifests: Type.Array(Type.Object({ ...DescriptorSchema.properties, artifactType: Type.Optional(Type.String()) })),
});

const leftOverMs = 86_400_000;
const indexOf = (path: string): string => join(path, oci.indexFile);
const entriesOf = (path: string): string => join(path, "entries");
const blobsOf = (path: string): string => join(path, "blobs", "sha256");
const blobOf = (path: string, sha256: Sha256): string => join(blobsOf(path), sha256);
const entryName = (seq: number): string => String(seq).padStart(8, "0");
const digestOf = (digest: string): Sha256 => digest.slice("sha256:".length) as Sha256;

const descriptor = (mediaType: string, { sha256, size }: SizedBlob) => ({
  mediaType,
  digest: `sha256:${sha256}`,
  size,
});

export const sizedBlob = (bytes: Uint8Array): SizedBlob => ({ sha256: sha256Hex(bytes), size: bytes.length });

/**
 * Builds the manifest of an entry; equal histories have equal manifests.
 * @param blobs     record and attachments, each once
 * @param previous  manifest of the previous entry; null for entry 1
 */
export function entryManifest(body: Uint8Array, blobs: readonly SizedBlob[], previous: SizedBlob | null): Buffer {
  return canonicalBytes({
    schemaVersion: 2,
    mediaType: oci.manifest,
    artifactType: entryType,
    config: descriptor("application/json", sizedBlob(body)),
    layers: blobs.map((blob) => descriptor("application/octet-stream", blob)),
    ...(previous === null ? {} : { subject: descriptor(oci.manifest, previous) }),
  });
}

/**
 * Opens the history of a folder; null if the folder is missing or empty. @throws {SluiceError} DB_NOT_OURS, READ_FAILED
 */
export async function openSharedFolder(path: string): Promise<SharedFolder | null> {
  await requireRealFolders(path);
  const names = existsSync(path) ? await readdir(path) : [];
  const last = names.includes(oci.indexFile) ? await lastManifest(path) : null;
  if (last === null && !names.every((name) => parts.includes(name))) throw notOurs(path);
  const size = await countEntries(path);
  if (size > 0) {
    if (last !== null) await requireIndexed(path, last, size);
    return { path, size, followed: null };
  }
  if (last === null) return null;
  const followed = await follow(path, last);
  return { path, size: followed.length, followed };
}

const parts: readonly string[] = [oci.layoutFile, "entries", "blobs", "tmp"];

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
    /^\d+$/u.test(name),
  );
  const known = new Set(names);
  let size = 0;
  while (known.has(entryName(size + 1))) size += 1;
  if (names.length === size) return size;
  throw new SluiceError("HISTORY_TAMPERED", `${path}: entry ${size + 1} is missing, but later ones are there`);
}

/** Requires that the index names one of the entries. @throws {SluiceError} HISTORY_TAMPERED */
async function requireIndexed(path: string, last: Sha256, size: number): Promise<void> {
  for (let seq = size; seq >= 1; seq -= 1) {
    if (sha256Hex(await readStoredFile(join(entriesOf(path), entryName(seq)))) === last) return;
  }
  throw new SluiceError("HISTORY_TAMPERED", `${path}: ${size} entries, but the index names another, later one`);
}

/** The manifest in the index: the only one, or the one with Sluice's tag. */
async function lastManifest(path: string): Promise<Sha256> {
  const { manifests } = checked(IndexSchema, await readStoredFile(indexOf(path)), indexOf(path));
  const ours = manifests.filter(({ artifactType }) => artifactType === undefined || artifactType === entryType);
  const found = ours.find(({ annotations }) => annotations?.[refName] === tag) ?? ours[0];
  if (found === undefined) throw notOurs(path);
  return digestOf(found.digest);
}

const tag = "history";

/** Manifests from entry 1 to the given one. */
async function follow(path: string, last: Sha256): Promise<readonly Sha256[]> {
  const found: Sha256[] = [];
  for (let next: Sha256 | null = last; next !== null; ) {
    found.push(next);
    const bytes: Buffer = await readBlob(path, next);
    const { subject }: Static<typeof ManifestSchema> = checked(ManifestSchema, bytes, blobOf(path, next));
    next = subject === undefined ? null : digestOf(subject.digest);
  }
  return found.reverse();
}

/** Creates the folder of a new history. */
export async function createSharedFolder(path: string): Promise<SharedFolder> {
  for (const folder of [entriesOf(path), blobsOf(path), join(path, "tmp")]) await makeFolders(folder);
  await place(path, join(path, oci.layoutFile), canonicalBytes({ imageLayoutVersion: oci.layoutVersion }));
  return { path, size: 0, followed: null };
}

/** Creates `entries` in a copy without it, so that a push can append to the copy. */
export async function nameEntries({ path, followed }: SharedFolder): Promise<void> {
  if (followed === null) return;
  for (const folder of [entriesOf(path), join(path, "tmp")]) await makeFolders(folder);
  for (const [i, sha256] of followed.entries())
    await named(blobOf(path, sha256), join(entriesOf(path), entryName(i + 1)));
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

/** An entry of the folder. Its manifest has not been compared with its blobs. */
export interface SharedEntry {
  readonly fields: LeafFields;
  readonly body: Buffer;
  readonly manifest: Buffer;
}

/** Reads an entry. @param seq  from 1 to `size` @throws {SluiceError} HISTORY_TAMPERED, DB_TOO_NEW */
export async function readSharedEntry(shared: SharedFolder, seq: number): Promise<SharedEntry> {
  const manifest = await readManifest(shared, seq);
  const { config } = checked(ManifestSchema, manifest, `manifest of entry ${seq}`);
  const digest = digestOf(config.digest);
  const file = blobOf(shared.path, digest);
  const body = await readBlob(shared.path, digest);
  const { record_sha256: sha256, kind: written, ...rest } = checked(LeafBodySchema, body, file);
  const kind = historyKinds.find((known) => known === written);
  if (kind === undefined) {
    throw new SluiceError(
      "DB_TOO_NEW",
      `${file}: an entry of kind ${written}, which this version of Sluice does not support`,
      {
        hint: "Use the Sluice version that wrote it, or a newer one.",
      },
    );
  }
  const fields: LeafFields = { ...rest, kind, sha256 };
  if (fields.seq !== seq || !leafBody(fields).equals(body)) throw changedEntry(shared, seq);
  return { fields, body, manifest };
}

/** The error for an entry whose manifest does not match its blobs. */
export function changedEntry({ path }: SharedFolder, seq: number): SluiceError {
  return new SluiceError("HISTORY_TAMPERED", `${path}: does not have entry ${seq} as it was written`);
}

/** Reads the manifest of an entry and checks its digest. @throws {SluiceError} HISTORY_TAMPERED, READ_FAILED */
export async function readManifest(shared: SharedFolder, seq: number): Promise<Buffer> {
  const { path, followed } = shared;
  const known = followed?.[seq - 1];
  if (known !== undefined) return readBlob(path, known);
  const file = join(entriesOf(path), entryName(seq));
  const bytes = await readStoredFile(file);
  if (!existsSync(blobOf(path, sha256Hex(bytes)))) throw changedEntry(shared, seq);
  return bytes;
}

/** Reads a blob. @throws {SluiceError} HISTORY_TAMPERED  it is missing or has a different digest */
export const readSharedBlob = ({ path }: SharedFolder, sha256: Sha256): Promise<Buffer> => readBlob(path, sha256);

async function readBlob(path: string, sha256: Sha256): Promise<Buffer> {
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
export async function writeSharedEntry(
  shared: SharedFolder,
  seq: number,
  { body, manifest }: Pick<SharedEntry, "body" | "manifest">,
): Promise<boolean> {
  const { path } = shared;
  const sha256 = sha256Hex(manifest);
  await writeSharedBlob(shared, sha256Hex(body), body);
  await writeSharedBlob(shared, sha256, manifest);
  await syncFolder(blobsOf(path));
  return named(blobOf(path, sha256), join(entriesOf(path), entryName(seq)));
}

/** Updates the index to the last entry. */
export async function writeIndex(shared: SharedFolder): Promise<void> {
  const { path } = shared;
  const size = await countEntries(path);
  if (size === 0) return;
  const last = sizedBlob(await readManifest({ ...shared, followed: null }, size));
  const annotations = { [refName]: tag };
  const index = canonicalBytes({
    schemaVersion: 2,
    mediaType: oci.index,
    manifests: [{ ...descriptor(oci.manifest, last), artifactType: entryType, annotations }],
  });
  if (existsSync(indexOf(path)) && (await readStoredFile(indexOf(path))).equals(index)) return;
  const staged = await session(path, index);
  await rename(staged, indexOf(path));
  await syncFolder(path);
}

async function session(folder: string, bytes: Buffer): Promise<string> {
  const staged = join(folder, "tmp", randomBytes(8).toString("hex"));
  await writeNewFile(staged, bytes, 0o644);
  return staged;
}

/** Writes a file unless another process has written it in the meantime. @throws {SluiceError} WRITE_FAILED */
async function place(folder: string, file: string, bytes: Buffer): Promise<void> {
  const staged = await session(folder, bytes);
  try {
    await named(staged, file);
  } finally {
    await rm(staged, { force: true });
  }
}

/** Renames a complete file; false if the name exists. @throws {SluiceError} WRITE_FAILED */
async function named(file: string, name: string): Promise<boolean> {
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
