import { type Static, Type } from "../../base/typebox.js";
import { canonicalBytes } from "../../base/canonical-json.js";
import { sha256Hex } from "../../base/sha256.js";
import { checkSchema } from "../../documents/check-schema.js";
import { Sha256Schema } from "../../documents/primitives.js";
import { RunSchema } from "../../documents/scored-record.js";
import type { FileEntry } from "../../documents/signed.js";
import { bundleFiles, bundleFolders, evaluationEvidence, recordFiles, runEvidence } from "../bundle-layout.js";
import { readStrictJson } from "../strict-json.js";
import { type BundleProblem, problem, problemOf } from "./problem.js";

type Files = ReadonlyMap<string, Uint8Array>;

const { scored, guards, background } = recordFiles;
const evaluationFile = `${bundleFolders.evidence}${evaluationEvidence}`;
const runFile = `${bundleFolders.evidence}${runEvidence}`;

/** The fields of a calibration, of any version, that concern the background; its reader checks the other fields. */
const FittedSchema = Type.Object({
  fit: Type.Optional(Type.Object({ background: Type.Optional(Type.Object({ records_sha256: Sha256Schema })) })),
});

/**
 * Checks the records that a bundle may contain: either all or none. The scored records must be those of the run that
 * the manifest names, the background that of its calibration, and the guard outcomes those of its evaluation.
 */
export function checkRecords(files: Files, entries: readonly FileEntry[]): readonly BundleProblem[] {
  const carried = Object.values(recordFiles).filter((path) => files.has(path));
  if (carried.length === 0) return [];
  const found = new Map(entries.map(({ path, sha256 }) => [path, sha256]));
  const missing = [scored, guards]
    .filter((path) => !files.has(path))
    .map((path) => problem("FILE_MISSING", path, `${carried.join(", ")} exists without it`));
  return [
    ...missing,
    ...scoredProblems(files, found.get(scored)),
    ...guardProblems(files),
    ...backgroundProblems(files, found.get(background)),
  ];
}

/** The fields of the signed evaluation that concern guards; its reader checks the other fields. */
const EvaluationSchema = Type.Object({
  detail: Type.Optional(
    Type.Object({
      guards: Type.Optional(Type.Array(Type.Object({ guard_id: Type.String(), stopped_sha256: Sha256Schema }))),
    }),
  ),
});

const OutcomesSchema = Type.Object({
  guards: Type.Array(Type.Object({ guard_id: Type.String(), stopped: Type.Array(Type.String()) })),
});

/** Compares the requests that each guard stops with the digests in the signed evaluation. */
function guardProblems(files: Files): readonly BundleProblem[] {
  const [outcomes, evaluation] = [files.get(guards), files.get(evaluationFile)];
  if (outcomes === undefined) return [];
  if (evaluation === undefined) return [problem("FILE_EXTRA", guards, `the evidence has no ${evaluationEvidence}`)];
  try {
    const { detail } = checkSchema(EvaluationSchema, readStrictJson(evaluation, evaluationFile), evaluationFile);
    const signed = (detail?.guards ?? []).map(({ guard_id, stopped_sha256 }) => [guard_id, stopped_sha256]);
    const carried = checkSchema(OutcomesSchema, readStrictJson(outcomes, guards), guards).guards.map(
      ({ guard_id, stopped }) => [guard_id, sha256Hex(canonicalBytes(stopped.toSorted()))],
    );
    if (canonicalBytes(signed).equals(canonicalBytes(carried))) return [];
    const text = `the requests that the guards stop differ from the digests of ${evaluationFile}`;
    return [problem("HASH_MISMATCH", guards, text)];
  } catch (thrown) {
    return [problemOf(thrown, guards)];
  }
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

/** The scored background must exist if, and only if, the calibration names one. */
function backgroundProblems(files: Files, sha256: string | undefined): readonly BundleProblem[] {
  const { calibration } = bundleFiles;
  const bytes = files.get(calibration);
  try {
    const { fit }: Static<typeof FittedSchema> =
      bytes === undefined ? {} : checkSchema(FittedSchema, readStrictJson(bytes, calibration), calibration);
    const named = fit?.background?.records_sha256;
    if (named === undefined) {
      return sha256 === undefined ? [] : [problem("FILE_EXTRA", background, `${calibration} names no background`)];
    }
    if (sha256 === undefined) return [problem("FILE_MISSING", background, `${calibration} names it`)];
    return compared(background, sha256, { named, by: calibration });
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
