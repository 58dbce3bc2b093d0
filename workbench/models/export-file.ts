import type { Static, TSchema } from "typebox";
import { checkSchema } from "../../src/domain/check-schema.js";
import { SluiceError } from "../../src/errors/error.js";
import type { ModelFiles } from "../../src/retrieval/model-files.js";

/**
 * A JSON file of an export, or undefined where the export has none. Other fields than the schema's are ignored.
 * @throws {SluiceError} MODEL_INVALID  the file is not JSON, or a field that is read has another type
 */
export function readExportFile<S extends TSchema>(files: ModelFiles, path: string, schema: S): Static<S> | undefined {
  const bytes = files.get(path);
  if (bytes === undefined) return undefined;
  return checkSchema(schema, parseJson(bytes, path), path, "MODEL_INVALID");
}

function parseJson(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", `${path} is not well-formed JSON`, {
      hint: "Export or download the model again.",
      cause,
    });
  }
}
