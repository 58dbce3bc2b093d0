import canonicalize from "canonicalize";
import { SluiceError } from "./error.js";

/**
 * RFC 8785 text of a JSON value: one content, one text, one digest. Fields that are `undefined` are left out.
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

/** UTF-8 bytes of `canonicalJson(value)`. */
export function canonicalBytes(value: unknown): Buffer {
  return Buffer.from(canonicalJson(value), "utf8");
}

/** JSON writers turn these values into nothing or into null, which would give two contents one text. */
function refuseWhatJsonDrops(value: unknown): void {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`a ${typeof value} is not JSON`);
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value) && value.includes(undefined)) throw new TypeError("undefined in a list is not JSON");
  for (const item of Object.values(value)) refuseWhatJsonDrops(item);
}
