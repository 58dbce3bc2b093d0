import { canonicalJson } from "../../base/canonical-json.js";
import type { FileEntry, Manifest } from "../../documents/signed.js";
import { bundleFiles, bundleFolders, isApprovalPath, recordFiles } from "../bundle-layout.js";
import { dirHash1 } from "../directory-hash.js";
import { compareFileLists } from "./check-index.js";
import { type BundleProblem, problem } from "./problem.js";

const source = bundleFiles.manifest;

function below(entries: readonly FileEntry[], folder: string): readonly FileEntry[] {
  return entries
    .filter((entry) => entry.path.startsWith(folder))
    .map((entry) => ({ ...entry, path: entry.path.slice(folder.length) }));
}

function checkDocuments(predicate: Manifest, entries: readonly FileEntry[]): readonly BundleProblem[] {
  const names = ["catalog", "calibration", "policy", "golden", "vectors"] as const;
  return names.flatMap((name) => {
    const path = bundleFiles[name];
    const stated = predicate[name];
    const expected = stated === null ? [] : [{ path, size: stated.bytes, sha256: stated.sha256 }];
    const actual = entries.filter((entry) => entry.path === path);
    return compareFileLists(expected, actual, "", source);
  });
}

function checkModel(
  model: Manifest["retriever"],
  entries: readonly FileEntry[],
  folder: string,
): readonly BundleProblem[] {
  const actual = below(entries, folder);
  const problems = compareFileLists(model.files, actual, folder, source);
  if (problems.length > 0) return problems;
  const sameList = canonicalJson(model.files) === canonicalJson(actual);
  if (sameList && dirHash1(actual) === model.dir_hash1) return [];
  return [
    problem("IDENTITY_MISMATCH", folder, `dir_hash1 or the order of files in ${source} does not match its files`),
  ];
}

function checkEvidence(predicate: Manifest, entries: readonly FileEntry[]): readonly BundleProblem[] {
  const folder = bundleFolders.evidence;
  const actual = below(entries, folder);
  const sizes = new Map(actual.map((entry) => [entry.path, entry.size]));
  const listed = predicate.evidence.map(({ name, sha256 }) => ({ path: name, size: sizes.get(name) ?? 0, sha256 }));
  return compareFileLists(listed, actual, folder, source);
}

function checkPlaces(entries: readonly FileEntry[]): readonly BundleProblem[] {
  const fixed: ReadonlySet<string> = new Set([...Object.values(bundleFiles), ...Object.values(recordFiles)]);
  const folders = [bundleFolders.retriever, bundleFolders.verifier, bundleFolders.evidence];
  return entries
    .filter(({ path }) => !fixed.has(path) && !isApprovalPath(path) && !folders.some((f) => path.startsWith(f)))
    .map(({ path }) => problem("FILE_EXTRA", path, "a bundle has no such file"));
}

/** Compares the files of a bundle with the identities in its manifest: nothing may be missing, changed or extra. */
export function checkIdentities(predicate: Manifest, entries: readonly FileEntry[]): readonly BundleProblem[] {
  return [
    ...checkDocuments(predicate, entries),
    ...checkModel(predicate.retriever, entries, bundleFolders.retriever),
    ...checkModel(predicate.verifier, entries, bundleFolders.verifier),
    ...checkEvidence(predicate, entries),
    ...checkPlaces(entries),
  ];
}
