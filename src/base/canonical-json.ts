import canonicalize from "canonicalize";
import { SluiceError } from "./error.js";

/**
 * Serializes a JSON value as in RFC 8785: equal values give equal texts and digests. Fields with the value `undefined`
 * are omitted.
 * @throws {SluiceError} NOT_CANONICAL  for NaN, Infinity, lone surrogates, cycles, functions, symbols, `undefined` alone
 *   or in a list
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    refuseWhatJsonDrops(value);
    text = canonicalize(value);
  } catch (cause) {
    throw new SluiceError("NOT_CANONICAL", "a value has no canonical JSON form", { cause });
  }
  if (text === undefined) throw new SluiceError("NOT_CANONICAL", "a value has no canonical JSON form");
  return text;
}

export function canonicalBytes(value: unknown): Buffer {
  return Buffer.from(canonicalJson(value), "utf8");
}

/** JSON writers omit these values or write null, so that different values would have the same text. */
function refuseWhatJsonDrops(value: unknown): void {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`a ${typeof value} is not JSON`);
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value) && value.includes(undefined)) throw new TypeError("undefined in a list is not JSON");
  for (const item of Object.values(value)) refuseWhatJsonDrops(item);
}
