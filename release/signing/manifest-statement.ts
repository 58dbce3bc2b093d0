import { checkSchema } from "../../src/documents/check-schema.js";
import {
  ManifestSchema,
  type Manifest,
  predicateTypes,
  type Statement,
  statementType,
} from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { comparePaths, dirHash1 } from "../../src/trust/directory-hash.js";
import { checkRelativePath } from "../../src/trust/file-name.js";
import { manifestSubjects } from "../../src/trust/statements.js";
import { parseTime } from "../../src/trust/validity.js";

function checkModel(model: Manifest["retriever"], role: string): void {
  for (const { path } of model.files) checkRelativePath(path);
  const paths = model.files.map((file) => file.path);
  const sorted = paths.every((path, i) => i === 0 || comparePaths(paths[i - 1] ?? "", path) < 0);
  if (sorted && dirHash1(model.files) === model.dir_hash1) return;
  throw new SluiceError("IDENTITY_MISMATCH", `${role}: files are not in path order, or dir_hash1 does not match them`);
}

/**
 * Builds the statement of a manifest. Its subjects repeat the digests in the predicate.
 * @throws {SluiceError} SCHEMA_INVALID, PATH_REFUSED, IDENTITY_MISMATCH (a model's dir_hash1 does not match its files)
 */
export function manifestStatement(predicate: Manifest): Statement {
  checkSchema(ManifestSchema, predicate, "manifest");
  parseTime(predicate.created_at, "manifest: created_at");
  if (predicate.rollback_floor > predicate.release) {
    throw new SluiceError("IDENTITY_MISMATCH", "manifest: rollback_floor is above its own release");
  }
  checkModel(predicate.retriever, "manifest: retriever");
  checkModel(predicate.verifier, "manifest: verifier");
  for (const { name } of predicate.evidence) checkRelativePath(name);
  return {
    _type: statementType,
    subject: manifestSubjects(predicate),
    predicateType: predicateTypes.manifest,
    predicate,
  };
}
