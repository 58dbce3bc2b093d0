import { counted } from "../../documents/number-text.js";
import type { ErrorCode } from "../../base/error-codes.js";
import { command, remedyOf, say, SluiceError, type Text } from "../../base/error.js";

/** One reason why a bundle is refused. */
export interface BundleProblem {
  readonly code: ErrorCode;
  /** Path inside the bundle, or another subject of the problem. */
  readonly file: string;
  /** Contains the name of the file. */
  readonly message: string;
}

export function problem(code: ErrorCode, file: string, message: string): BundleProblem {
  return { code, file, message: `${file}: ${message}` };
}

/** Converts an error thrown by a check to a problem. Any other thrown value is a bug, and is thrown again. */
export function problemOf(thrown: unknown, file: string): BundleProblem {
  if (!(thrown instanceof SluiceError)) throw thrown;
  const named = thrown.details?.["file"];
  return { code: thrown.code, file: typeof named === "string" ? named : file, message: thrown.message };
}

/**
 * Combines all problems into one error: the code of the first, a message that names all, and the list in
 * details.problems.
 */
export function problemsError(what: string, problems: readonly BundleProblem[]): SluiceError {
  const [first] = problems;
  const found =
    problems.length === 1
      ? first?.message
      : `${counted(problems.length, "problem")}: ${problems.map((p, index) => `(${index + 1}) ${p.message}`).join("; ")}`;
  const message = `${what}: ${found}`;
  return new SluiceError(first?.code ?? "INTERNAL", message, {
    hint: hintOf(first?.code),
    details: { problems },
  });
}

/** Problems of the bytes, which a new copy may not have. */
const ofTheCopy: ReadonlySet<ErrorCode> = new Set([
  "NOT_CANONICAL",
  "BUNDLE_INVALID",
  "ENVELOPE_INVALID",
  "FILE_MISSING",
  "FILE_REFUSED",
  "HASH_MISMATCH",
  "IDENTITY_MISMATCH",
]);

/** Hint for the first problem. */
function hintOf(code: ErrorCode | undefined): Text {
  if (code === "REPRODUCTION_MISSING") {
    return say`Ask an approver to reproduce the claim, then export again: ${command`sluice approve --approver NAME --reproduce`}`;
  }
  if (code === "FILE_EXTRA") {
    return say`Remove the extra file, which a copy over the folder leaves there, or export again: ${command`sluice bundle export --replace`}`;
  }
  if (code === undefined || ofTheCopy.has(code)) {
    return "Copy the named files, or the whole folder, again from where the bundle was exported; do not edit them.";
  }
  return remedyOf(code);
}
