import { checkSchema } from "../../domain/check-schema.js";
import { RunSchema } from "../../domain/scored-record.js";
import type { FileEntry } from "../../domain/signed.js";
import { bundleFolders, recordFiles, runEvidence } from "../bundle-layout.js";
import { readStrictJson } from "../strict-json.js";
import { type BundleProblem, problem, problemOf } from "./problem.js";

const runFile = `${bundleFolders.evidence}${runEvidence}`;

/**
 * Problems of the records that a bundle may carry: both files or none, and the scored records must be those of the
 * run that the manifest names. Reproduction compares the guard outcomes with the signed evaluation.
 */
export function checkRecords(
  files: ReadonlyMap<string, Uint8Array>,
  entries: readonly FileEntry[],
): readonly BundleProblem[] {
  const carried = Object.values(recordFiles).filter((path) => files.has(path));
  if (carried.length === 0) return [];
  const missing = Object.values(recordFiles)
    .filter((path) => !files.has(path))
    .map((path) => problem("FILE_MISSING", path, `${carried.join(", ")} exists without it`));
  const scored = entries.find(({ path }) => path === recordFiles.scored);
  return scored === undefined ? missing : [...missing, ...scoredProblems(files.get(runFile), scored.sha256)];
}

function scoredProblems(run: Uint8Array | undefined, sha256: string): readonly BundleProblem[] {
  const { scored } = recordFiles;
  if (run === undefined) return [problem("FILE_EXTRA", scored, `the evidence has no ${runEvidence} that names it`)];
  try {
    const { records_sha256: named } = checkSchema(RunSchema, readStrictJson(run, runFile), runFile);
    if (named === sha256) return [];
    return [problem("HASH_MISMATCH", scored, `has sha256 ${sha256}, ${runFile} says ${named}`)];
  } catch (thrown) {
    return [problemOf(thrown, runFile)];
  }
}
