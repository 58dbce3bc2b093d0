import { canonicalJson } from "../base/canonical-json.js";
import { SluiceError } from "../base/error.js";

/** Default limit for the size of a document in bytes. */
export const defaultMaxBytes = 1024 * 1024;
const maxDepth = 32;

const quote = 0x22;
const backslash = 0x5c;
const isOpener = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isCloser = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

/**
 * Whether a JSON text has more than 32 levels. Checked before parsing, because `JSON.parse` accepts millions of levels,
 * on which recursive readers would overflow the stack.
 */
export function exceedsDepth(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  let escaped = false;
  for (const byte of bytes) {
    if (escaped) escaped = false;
    else if (inString && byte === backslash) escaped = true;
    else if (byte === quote) inString = !inString;
    else if (!inString && isOpener(byte)) depth += 1;
    else if (!inString && isCloser(byte)) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SluiceError("NOT_CANONICAL", `${what}: not valid UTF-8`, { cause });
  }
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SluiceError("NOT_CANONICAL", `${what}: not well-formed JSON`, { cause });
  }
}

function isCanonical(value: unknown, text: string): boolean {
  try {
    return canonicalJson(value) === text;
  } catch {
    return false;
  }
}

function isNfc(value: unknown): boolean {
  if (typeof value === "string") return value.normalize("NFC") === value;
  if (Array.isArray(value)) return value.every(isNfc);
  if (value === null || typeof value !== "object") return true;
  return Object.entries(value).every(([key, item]) => isNfc(key) && isNfc(item));
}

/**
 * Reads a signed JSON document. Its bytes must be the RFC 8785 form of its content, so that equal content has equal
 * digests. Duplicate keys, other number formats, white space and trailing data are refused.
 * @param what  name of the document in messages, e.g. a file name
 * @throws {SluiceError} TOO_LARGE; NOT_CANONICAL  also above 32 levels
 */
export function readStrictJson(bytes: Uint8Array, what: string, maxBytes = defaultMaxBytes): unknown {
  if (bytes.length > maxBytes) {
    throw new SluiceError("TOO_LARGE", `${what}: ${bytes.length} bytes, at most ${maxBytes} are accepted`);
  }
  const text = decodeUtf8(bytes, what);
  if (exceedsDepth(bytes)) throw new SluiceError("NOT_CANONICAL", `${what}: nested deeper than ${maxDepth} levels`);
  const value = parse(text, what);
  if (!isCanonical(value, text)) {
    throw new SluiceError("NOT_CANONICAL", `${what}: the bytes are not the canonical JSON (RFC 8785) of their content`);
  }
  if (!isNfc(value)) throw new SluiceError("NOT_CANONICAL", `${what}: contains text that is not in Unicode NFC`);
  return value;
}
