import { unzipSync } from "fflate";
import { SluiceError } from "../../../src/errors/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";

/** Maximum total size of an archive's unpacked files, in bytes. */
const maximumBytes = 256 * 1024 * 1024;

/** Whether the bytes begin like a ZIP archive; Excel workbooks do too. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04;

/**
 * The files of a ZIP archive in memory, by their paths inside it, ascending.
 * @throws {SluiceError} SYNTAX_INVALID  the archive is damaged
 * @throws {SluiceError} TOO_LARGE  it would unpack to more than 256 MiB
 */
export function unzip({ file, bytes }: SourceFile): readonly SourceFile[] {
  let total = 0;
  let unpacked: Readonly<Record<string, Uint8Array>>;
  try {
    unpacked = unzipSync(bytes, {
      filter: ({ originalSize, name }) => {
        total += originalSize;
        return total <= maximumBytes && !name.endsWith("/");
      },
    });
  } catch (cause) {
    throw new SluiceError("SYNTAX_INVALID", `${file}: the ZIP archive is damaged`, {
      hint: "Export or compress the folder again.",
      cause,
    });
  }
  if (total > maximumBytes) {
    throw new SluiceError("TOO_LARGE", `${file}: unpacks to more than 256 MiB`, {
      hint: "Unpack it and use the folder with the intents.",
    });
  }
  return Object.entries(unpacked)
    .map(([name, content]) => ({ file: name, bytes: content }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}
