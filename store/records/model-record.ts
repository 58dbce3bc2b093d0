import { Type } from "../../src/base/typebox.js";
import { object, type ReadonlyStatic, Sha256Schema, VersionSchema } from "../../src/documents/primitives.js";
import { FileEntrySchema } from "../../src/documents/signed.js";

/** A model directory in the history; its files are attachments of the record. */
export const ModelRecordSchema = object({
  schema_version: Type.Literal(1),
  role: Type.Enum(["retriever", "verifier"]),
  version: VersionSchema,
  dir_hash1: Sha256Schema,
  /** In path order. */
  files: Type.Array(FileEntrySchema, { minItems: 1 }),
});
export type ModelRecord = ReadonlyStatic<typeof ModelRecordSchema>;
