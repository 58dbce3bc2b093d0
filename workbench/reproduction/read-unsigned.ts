import { checkSchema } from "../../src/domain/check-schema.js";
import { ManifestPredicateSchema, predicateTypes } from "../../src/domain/signed.js";
import { bundleFiles } from "../../src/artifacts/bundle-layout.js";
import type { DirectoryContent } from "../../src/artifacts/directory-hash.js";
import { bundleIdOf } from "../../src/artifacts/statements.js";
import { checkContent, type ReadManifest, requireFile } from "../../src/artifacts/verify/check-content.js";
import { checkIndex, readIndex } from "../../src/artifacts/verify/check-index.js";
import { readEnvelope, readStatement } from "../../src/artifacts/verify/open-envelope.js";
import { problemsError } from "../../src/artifacts/verify/problem.js";

/**
 * The manifest of a bundle whose files are exactly those that it names. No signature is verified: for readers without
 * a trust policy only; nothing may serve on this basis.
 * @param source  how the reader knows the bundle, for messages
 * @throws {SluiceError} FILE_MISSING, HASH_MISMATCH, FILE_EXTRA, IDENTITY_MISMATCH; the codes of `readEnvelope`
 */
export function readUnsigned(content: DirectoryContent, source: string): ReadManifest {
  const index = readIndex(requireFile(content, bundleFiles.index));
  const what = bundleFiles.manifest;
  const { payload } = readEnvelope(requireFile(content, what), what);
  const statement = readStatement(payload, predicateTypes.manifest, what);
  const predicate = checkSchema(ManifestPredicateSchema, statement.predicate, `${what}: predicate`);
  const manifest = { bundleId: bundleIdOf(payload), predicate };
  const problems = [...checkIndex(index, content.entries), ...checkContent(content, index.bundle_id, manifest)];
  if (problems.length > 0) throw problemsError(source, problems);
  return manifest;
}
