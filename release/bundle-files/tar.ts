import { lstat } from "node:fs/promises";
import { command, say, SluiceError } from "../../src/base/error.js";
import { readInput } from "../../src/base/files.js";
import { comparePaths } from "../../src/trust/directory-hash.js";
import { checkRelativePath } from "../../src/trust/file-name.js";
import { printable } from "../../src/base/text.js";

const blockBytes = 512;
const nameBytes = 100;
const prefixBytes = 155;
const maxArchiveFiles = 10_000;

/** Offset and length of each field in a ustar header (POSIX.1-1988). */
const at = {
  name: [0, nameBytes],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, prefixBytes],
} as const;
type Field = keyof typeof at;

function refused(message: string): SluiceError {
  return new SluiceError("NOT_CANONICAL", `archive: ${message}`, {
    hint: say`Export the archive again: ${command`sluice bundle export --tar FILE`}`,
  });
}

/** Splits a path at a slash so that both parts fit; the prefix is empty for short paths. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= nameBytes) return ["", path];
  for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (Buffer.byteLength(prefix) <= prefixBytes && Buffer.byteLength(name) <= nameBytes) return [prefix, name];
  }
  throw refused(`${printable(path)}: the path is too long for a tar header`);
}

function checksumOf(header: Buffer): number {
  const [start, length] = at.checksum;
  return header.reduce((sum, byte, i) => sum + (i >= start && i < start + length ? 0x20 : byte), 0);
}

function header(path: string, size: number): Buffer {
  const bytes = Buffer.alloc(blockBytes);
  const put = (field: Field, text: string): void => void bytes.write(text, at[field][0], at[field][1], "utf8");
  const octal = (field: Field, value: number): void => put(field, value.toString(8).padStart(at[field][1] - 1, "0"));
  const [prefix, name] = splitPath(path);
  put("name", name);
  put("prefix", prefix);
  octal("mode", 0o644);
  for (const field of ["uid", "gid", "mtime"] as const) octal(field, 0);
  octal("size", size);
  put("type", "0");
  put("magic", "ustar\u000000");
  put("checksum", `${checksumOf(bytes).toString(8).padStart(6, "0")}\0 `);
  return bytes;
}

const padding = (size: number): Buffer => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);

/**
 * Writes a ustar archive of regular files, sorted by path and without owners, times or folders, so that equal files
 * give equal bytes.
 * @throws {SluiceError} FILE_REFUSED, NOT_CANONICAL (a path above 256 bytes)
 */
export function writeTar(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const sorted = [...files].sort(([a], [b]) => comparePaths(a, b));
  const parts = sorted.flatMap(([path, bytes]) => {
    checkRelativePath(path);
    return [header(path, bytes.length), bytes, padding(bytes.length)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

/** Returns the path and size of the next file, after checking that its header is exactly what `writeTar` writes. */
function readHeader(bytes: Buffer, offset: number): { readonly path: string; readonly size: number } {
  const found = bytes.subarray(offset, offset + blockBytes);
  const field = (name: Field): string => {
    const [start, length] = at[name];
    return (
      found
        .subarray(start, start + length)
        .toString("utf8")
        .split("\0")[0] ?? ""
    );
  };
  const path = field("prefix") === "" ? field("name") : `${field("prefix")}/${field("name")}`;
  const shown = printable(path);
  if (field("type") !== "0") throw refused(`${shown}: not a regular file (type "${printable(field("type"))}")`);
  const digits = field("size");
  if (!/^[0-7]{11}$/.test(digits)) throw refused(`${shown}: its size is not written in octal digits`);
  const size = Number.parseInt(digits, 8);
  if (offset + blockBytes + size > bytes.length)
    throw refused(`${shown}: ${size} bytes expected, but the file ends earlier`);
  if (!found.equals(header(path, size))) throw refused(`${shown}: its header is not canonical`);
  checkRelativePath(path);
  return { path, size };
}

/**
 * Reads an archive in the canonical form that `writeTar` writes. Links, devices, other headers, duplicates and trailing
 * data are refused.
 * @returns bytes by path
 * @throws {SluiceError} NOT_CANONICAL, FILE_REFUSED (absolute, `..`, names that systems read differently)
 */
export function readTar(archive: Uint8Array): ReadonlyMap<string, Buffer> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  if (bytes.length < 2 * blockBytes || bytes.length % blockBytes !== 0) throw refused("it is truncated");
  const files = new Map<string, Buffer>();
  const end = bytes.length - 2 * blockBytes;
  let offset = 0;
  let last = "";
  while (offset < end) {
    const { path, size } = readHeader(bytes, offset);
    if (files.size === maxArchiveFiles) throw refused(`more than ${maxArchiveFiles} files`);
    if (files.size > 0 && comparePaths(last, path) >= 0) throw refused(`${printable(path)}: twice, or out of order`);
    const start = offset + blockBytes;
    files.set(path, bytes.subarray(start, start + size));
    offset = start + size + padding(size).length;
    if (!bytes.subarray(start + size, offset).every((byte) => byte === 0)) throw refused("data between two files");
    last = path;
  }
  if (offset !== end || !bytes.subarray(end).every((byte) => byte === 0))
    throw refused("its end is not two empty blocks");
  return files;
}

/**
 * As `readTar`, for the file at a path; null for a folder, a link or a missing path.
 * @throws {SluiceError} the codes of `readTar`; READ_FAILED
 */
export async function readTarFile(path: string): Promise<ReadonlyMap<string, Buffer> | null> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true ? readTar(await readInput(path)) : null;
}
