import type { BundleId } from "../../documents/primitives.js";
import type { Manifest } from "../../documents/signed.js";
import { SluiceError } from "../../base/error.js";
import { bundleFiles } from "../bundle-layout.js";
import type { DirectoryContent } from "../directory-hash.js";
import { checkIdentities } from "./check-identities.js";
import { checkRecords } from "./check-records.js";
import { type BundleProblem, problem } from "./problem.js";

/** Content of a manifest, regardless of who signed it. */
export interface ReadManifest {
  readonly bundleId: BundleId;
  readonly predicate: Manifest;
}

/** @throws {SluiceError} FILE_MISSING */
export function requireFile(content: Pick<DirectoryContent, "files">, path: string): Buffer {
  const bytes = content.files.get(path);
  if (bytes !== undefined) return bytes;
  throw new SluiceError("FILE_MISSING", `${path}: is missing`, { details: { file: path } });
}

/**
 * Compares the files of a bundle with its manifest. @param indexed  bundle_id of bundle.json; null if it was not read
 */
export function checkContent(
  { files, entries }: DirectoryContent,
  indexed: string | null,
  { predicate, bundleId }: ReadManifest,
): readonly BundleProblem[] {
  const identities = [...checkIdentities(predicate, entries), ...checkRecords(files, entries)];
  return [...identities, ...bundleIdProblems(indexed, bundleId)];
}

function bundleIdProblems(indexed: string | null, actual: string): readonly BundleProblem[] {
  if (indexed === null || indexed === actual) return [];
  const text = `bundle_id ${indexed} is not the digest ${actual} of the manifest`;
  return [problem("IDENTITY_MISMATCH", bundleFiles.index, text)];
}
