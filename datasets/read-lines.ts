import { gunzipSync } from "node:zlib";
import { SluiceError } from "../src/base/error.js";

const gzipStart = Buffer.from([0x1f, 0x8b]);

/** Decompresses a file if it is gzipped. @throws {SluiceError} SYNTAX_INVALID */
export function unpacked(bytes: Uint8Array, file: string): Uint8Array {
  if (!gzipStart.equals(bytes.subarray(0, gzipStart.length))) return bytes;
  try {
    return gunzipSync(bytes);
  } catch (cause) {
    throw new SluiceError("SYNTAX_INVALID", `${file}: found damaged gzip data, expected a complete file`, {
      cause,
      hint: "Download the file again.",
    });
  }
}

/** Non-empty lines of a text file, without line endings. @throws {SluiceError} SYNTAX_INVALID */
export function linesOf(bytes: Uint8Array, file: string): readonly string[] {
  return new TextDecoder()
    .decode(unpacked(bytes, file))
    .split(/\r?\n/)
    .filter((line) => line !== "");
}
