import { crc32 } from "node:zlib";
import { unzipSync } from "fflate";
import { SluiceError } from "../../../src/base/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";

/** Maximum total size of the unpacked files of an archive, in bytes. */
const maximumBytes = 256 * 1024 * 1024;
/** The same as a multiple of the archive; an archive may unpack to the size below in any case. */
const maximumRatio = 100;
const alwaysBytes = 16 * 1024 * 1024;

/** Whether the bytes begin like a ZIP archive, which includes Excel workbooks. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04;

/**
 * Unpacks a ZIP archive in memory. Files are sorted by their paths in the archive.
 * @throws {SluiceError} DOCUMENT_INVALID  the archive is damaged
 * @throws {SluiceError} TOO_LARGE  the unpacked files would exceed 256 MiB, or 16 MiB and 100 times the archive
 */
export function unzip({ file, bytes }: SourceFile): readonly SourceFile[] {
  const most = unpackedLimit(bytes.length);
  let total = 0;
  let unpacked: Readonly<Record<string, Uint8Array>>;
  let sums: ReadonlyMap<string, number>;
  try {
    const whole = withoutComment(bytes);
    unpacked = unzipSync(whole, {
      filter: ({ originalSize, name }) => {
        total += originalSize;
        return total <= most && !name.endsWith("/");
      },
    });
    sums = checksums(whole);
  } catch (cause) {
    throw damaged(file, cause);
  }
  if (total > most) throw unpacksToMore(file, most);
  const changed = Object.entries(unpacked).find(
    ([name, content]) => sums.has(name) && crc32(content) !== sums.get(name),
  );
  if (changed !== undefined) throw damaged(`${file}: ${changed[0]}`, null);
  return Object.entries(unpacked)
    .map(([name, content]) => ({ file: name, bytes: content }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Maximum size of what an archive of this size unpacks to, in bytes. */
export const unpackedLimit = (bytes: number): number =>
  Math.min(maximumBytes, Math.max(alwaysBytes, maximumRatio * bytes));

export const unpacksToMore = (file: string, most: number): SluiceError =>
  new SluiceError("TOO_LARGE", `${file}: unpacks to more than ${Math.floor(most / (1024 * 1024))} MiB`, {
    hint: "Unpack it and use the folder with the intents.",
  });

function damaged(file: string, cause: unknown): SluiceError {
  const hint = "Export or compress the folder again.";
  return new SluiceError("DOCUMENT_INVALID", `${file}: the ZIP archive is damaged`, { hint, cause });
}

/**
 * CRC-32 of each file according to the central directory; fflate does not check it. Source: PKWARE APPNOTE 4.3.12.
 * @throws {RangeError} there is no directory at the stated place
 */
function checksums(bytes: Uint8Array): ReadonlyMap<string, number> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sums = new Map<string, number>();
  const end = all.length - endLength;
  for (let at = all.readUInt32LE(end + 16); at + 46 <= end && all.readUInt32LE(at) === 0x02014b50; ) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => all.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const isUtf8 = (all.readUInt16LE(at + 8) & 0x800) !== 0;
    sums.set(all.toString(isUtf8 ? "utf8" : "latin1", at + 46, at + 46 + name), all.readUInt32LE(at + 16));
    at += 46 + name + extra + comment;
  }
  return sums;
}

/** Length of the record that ends an archive, without the comment after it. */
const endLength = 22;

/**
 * The archive without its comment, in which fflate would take a signature for the end of the directory.
 * @throws {RangeError} the archive has no end
 */
function withoutComment(bytes: Uint8Array): Uint8Array {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const signature = Buffer.from([0x50, 0x4b, 5, 6]);
  let end = all.lastIndexOf(signature, all.length - endLength);
  while (end > 0 && all.readUInt16LE(end + 20) !== all.length - end - endLength) {
    end = all.lastIndexOf(signature, end - 1);
  }
  if (end < 0) throw new RangeError("the archive has no end");
  const whole = Buffer.from(all.subarray(0, end + endLength));
  whole.writeUInt16LE(0, end + 20);
  return whole;
}
