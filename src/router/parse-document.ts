import type { Static, TSchema } from "../base/typebox.js";
import { checkSchema } from "../documents/check-schema.js";
import { SluiceError } from "../base/error.js";

/** Parses a JSON document of a bundle. @throws {SluiceError} DOCUMENT_INVALID */
export function parseDocument<S extends TSchema>(schema: S, bytes: Uint8Array, file: string): Static<S> {
  return checkSchema(schema, parseJson(bytes, file), file);
}

/** Parses a JSON file. @throws {SluiceError} DOCUMENT_INVALID */
export function parseJson(bytes: Uint8Array, file: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown;
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${file} is not well-formed JSON`, { cause });
  }
}
