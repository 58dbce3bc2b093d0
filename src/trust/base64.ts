import { SluiceError } from "../base/error.js";

const withoutPadding = (text: string): string => text.replace(/={1,2}$/, "");

/**
 * Decodes base64 in the standard or the URL-safe alphabet, padded or not. Encoding the result must give the same text,
 * so superfluous characters and non-zero trailing bits are refused.
 * @throws {SluiceError} NOT_CANONICAL
 */
export function decodeBase64(text: string, what: string): Buffer {
  const encoding = /[-_]/.test(text) ? "base64url" : "base64";
  const bytes = Buffer.from(text, encoding);
  const paddingFits = !text.endsWith("=") || text.length % 4 === 0;
  if (!paddingFits || withoutPadding(bytes.toString(encoding)) !== withoutPadding(text)) {
    throw new SluiceError("NOT_CANONICAL", `${what}: not canonical base64`);
  }
  return bytes;
}
