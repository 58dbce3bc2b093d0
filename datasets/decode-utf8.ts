import { SluiceError } from "../src/base/error.js";

/** Decodes a file. @throws {SluiceError} SYNTAX_INVALID  the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SluiceError("SYNTAX_INVALID", `${what}: not valid UTF-8`, {
      hint: "Save the file as UTF-8 and run the command again.",
      cause,
    });
  }
}
