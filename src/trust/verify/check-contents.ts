import { type Static, Type } from "../../base/typebox.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { checkSchema } from "../../documents/check-schema.js";
import { Sha256Schema, type BundleId } from "../../documents/primitives.js";
import { RunSchema } from "../../documents/scored-record.js";
import { type FileEntry, BundleIndexSchema, type BundleIndex, type Manifest } from "../../documents/signed.js";
import { bundleFiles, bundleFolders, recordFiles, runEvidence, isApprovalPath } from "../bundle-layout.js";
import { readStrictJson } from "../strict-json.js";
import { type BundleProblem, problem, problemOf } from "./problem.js";
import { comparePaths, dirHash1, type DirectoryContent } from "../directory-hash.js";
import { checkRelativePath } from "../file-name.js";
import { printable } from "../../base/text.js";
import { SluiceError } from "../../base/error.js";

type Files = ReadonlyMap<string, Uint8Array>;

const { scored } = recordFiles;
const runFile = `${bundleFolders.evidence}${runEvidence}`;

const NamedRowsSchema = Type.Optional(Type.Object({ records_sha256: Sha256Schema }));

/** The fields of a calibration, of any version, that name records; its reader checks the other fields. */
const FittedSchema = Type.Object({
  fit: Type.Optional(Type.Object({ background: NamedRowsSchema, follow_ups: NamedRowsSchema })),
});

/**
 * Checks the records that a bundle may contain: either all or none. The scored records must be those of the run that
 * the manifest names, and the background and the follow-ups those of its calibration.
 */
export function checkRecords(files: Files, entries: readonly FileEntry[]): readonly BundleProblem[] {
  const carried = Object.values(recordFiles).filter((path) => files.has(path));
  if (carried.length === 0) return [];
  const found = new Map(entries.map(({ path, sha256 }) => [path, sha256]));
  const missing = files.has(scored) ? [] : [problem("FILE_MISSING", scored, `${carried.join(", ")} exists without it`)];
  return [...missing, ...scoredProblems(files, found.get(scored)), ...fitRowsProblems(files, found)];
}

function scoredProblems(files: Files, sha256: string | undefined): readonly BundleProblem[] {
  if (sha256 === undefined) return [];
  const run = files.get(runFile);
  if (run === undefined) return [problem("FILE_EXTRA", scored, `the evidence has no ${runEvidence} that names it`)];
  try {
    const { records_sha256: named } = checkSchema(RunSchema, readStrictJson(run, runFile), runFile);
    return compared(scored, sha256, { named, by: runFile });
  } catch (thrown) {
    return [problemOf(thrown, runFile)];
  }
}

/** Further scored rows must exist if, and only if, the calibration names them. */
function fitRowsProblems(files: Files, found: ReadonlyMap<string, string>): readonly BundleProblem[] {
  const { calibration } = bundleFiles;
  const bytes = files.get(calibration);
  try {
    const { fit }: Static<typeof FittedSchema> =
      bytes === undefined ? {} : checkSchema(FittedSchema, readStrictJson(bytes, calibration), calibration);
    return (["background", "follow_ups"] as const).flatMap((kind) => {
      const path = recordFiles[kind];
      const [named, sha256] = [fit?.[kind]?.records_sha256, found.get(path)];
      if (named === undefined) {
        return sha256 === undefined ? [] : [problem("FILE_EXTRA", path, `${calibration} does not name it`)];
      }
      if (sha256 === undefined) return [problem("FILE_MISSING", path, `${calibration} names it`)];
      return compared(path, sha256, { named, by: calibration });
    });
  } catch (thrown) {
    return [problemOf(thrown, calibration)];
  }
}

function compared(
  path: string,
  sha256: string,
  { named, by }: { readonly named: string; readonly by: string },
): readonly BundleProblem[] {
  return named === sha256 ? [] : [problem("HASH_MISMATCH", path, `has sha256 ${sha256}, ${by} says ${named}`)];
}

/**
 * Differences between a list of files and the existing files, each with expected and actual values.
 * @param prefix  folder of the listed paths inside the bundle, "" or with a trailing slash
 * @param source  the document that lists them, for messages
 */
export function compareFileLists(
  listed: readonly FileEntry[],
  actual: readonly FileEntry[],
  prefix: string,
  source: string,
): readonly BundleProblem[] {
  const actualByPath = new Map(actual.map((entry) => [entry.path, entry]));
  const listedPaths = new Set(listed.map((entry) => entry.path));
  const wrong = listed.flatMap((expected) => {
    const found = actualByPath.get(expected.path);
    const file = `${prefix}${printable(expected.path)}`;
    if (found === undefined) return [problem("FILE_MISSING", file, `${source} lists it, but it is missing`)];
    if (found.size === expected.size && found.sha256 === expected.sha256) return [];
    return [problem("HASH_MISMATCH", file, mismatch(found, expected, source))];
  });
  const extra = actual
    .filter((entry) => !listedPaths.has(entry.path))
    .map((entry) => problem("FILE_EXTRA", `${prefix}${printable(entry.path)}`, `${source} does not list it`));
  return [...wrong, ...extra];
}

function mismatch(found: FileEntry, expected: FileEntry, source: string): string {
  const actual = `${found.size} bytes with sha256 ${found.sha256}`;
  return `has ${actual}; ${source} lists ${expected.size} bytes with sha256 ${expected.sha256}`;
}

/** Parses bundle.json. @throws {SluiceError} the codes of `readStrictJson`; BUNDLE_INVALID, FILE_REFUSED */
export function readIndex(bytes: Uint8Array): BundleIndex {
  const what = bundleFiles.index;
  const index = checkSchema(BundleIndexSchema, readStrictJson(bytes, what), what, "BUNDLE_INVALID");
  for (const { path } of index.files) checkRelativePath(path);
  return index;
}

/** Compares bundle.json with the files of the bundle. It must list every file except itself, in path order. */
export function checkIndex(index: BundleIndex, entries: readonly FileEntry[]): readonly BundleProblem[] {
  const others = entries.filter((entry) => entry.path !== bundleFiles.index);
  const problems = compareFileLists(index.files, others, "", bundleFiles.index);
  const sorted = index.files.every((entry, i) => {
    const previous = index.files[i - 1];
    return previous === undefined || comparePaths(previous.path, entry.path) < 0;
  });
  if (sorted) return problems;
  return [...problems, problem("BUNDLE_INVALID", bundleFiles.index, "its files are not in path order")];
}

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
