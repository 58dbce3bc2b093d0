import canonicalize from "canonicalize";
import { SluiceError } from "../errors/error.js";

/**
 * RFC 8785 text of a JSON value: one content, one text, one digest.
 * @throws {SluiceError} NOT_CANONICAL  for NaN, Infinity, lone surrogates, cycles or `undefined`
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    throw new SluiceError("NOT_CANONICAL", "a value has no canonical JSON form", { cause });
  }
  if (text === undefined) throw new SluiceError("NOT_CANONICAL", "a value has no canonical JSON form");
  return text;
}

/** UTF-8 bytes of `canonicalJson(value)`. */
export function canonicalBytes(value: unknown): Buffer {
  return Buffer.from(canonicalJson(value), "utf8");
}
