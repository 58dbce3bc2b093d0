import { checkSchema } from "../../documents/check-schema.js";
import { BundleIndexSchema, type BundleIndex, type FileEntry } from "../../documents/signed.js";
import { bundleFiles } from "../bundle-layout.js";
import { comparePaths } from "../directory-hash.js";
import { checkRelativePath } from "../file-name.js";
import { printable } from "../../base/text.js";
import { readStrictJson } from "../strict-json.js";
import { type BundleProblem, problem } from "./problem.js";

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
  return `has ${actual}, expected ${expected.size} bytes with sha256 ${expected.sha256} of ${source}`;
}

/**
 * Parses bundle.json.
 * @throws {SluiceError} the codes of `readStrictJson`; BUNDLE_INVALID, PATH_REFUSED
 */
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
