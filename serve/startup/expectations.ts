import type { Manifest } from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { type StartupRule, startupRules } from "../../src/router/start/start-finding.js";
import type { ErrorCode } from "../../src/base/error-codes.js";

/** Values that the signed manifest must have; otherwise the server does not start. */
export interface BundleExpectations {
  readonly topK?: number;
  readonly allowExactEventRoutes?: boolean;
}

interface ExpectationProblem {
  readonly rule: StartupRule;
  readonly message: string;
}

/** Lists the expectations that the signed manifest does not meet. */
export function expectationProblems(
  manifest: Pick<Manifest, "top_k" | "exact_events">,
  expectations: BundleExpectations,
): readonly ExpectationProblem[] {
  const { topK, allowExactEventRoutes } = expectations;
  const problems: ExpectationProblem[] = [];
  if (topK !== undefined && topK !== manifest.top_k) {
    problems.push({
      rule: "identities",
      message: `topK: found ${topK}, expected ${manifest.top_k} of the signed manifest`,
    });
  }
  const signed = manifest.exact_events.enabled;
  if (allowExactEventRoutes !== undefined && allowExactEventRoutes !== signed) {
    const message = `allowExactEventRoutes: found ${allowExactEventRoutes}, expected ${signed} of the signed manifest`;
    problems.push({ rule: "exact_events", message });
  }
  return problems;
}

/** @throws {SluiceError} IDENTITY_MISMATCH with every difference */
export function requireExpected(manifest: Manifest, expectations: BundleExpectations): void {
  const problems = expectationProblems(manifest, expectations);
  if (problems.length === 0) return;
  throw new SluiceError("IDENTITY_MISMATCH", problems.map(({ message }) => message).join("; "), {
    hint: "Use the signed values (--allow-exact-events for a bundle with exact events), or sign a new manifest.",
  });
}

/** A reason why a production router does not start; `rule` is null for reasons outside the six rules. */
export interface StartupReason {
  readonly rule: StartupRule | null;
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Adds all other reasons to the first failure of a start: same code, all messages, and `details.reasons` as
 * `StartupReason[]` in the order of the rules.
 */
export function startupRefusal(first: SluiceError, found: readonly StartupReason[]): SluiceError {
  const known = found.some(({ code }) => code === first.code);
  const reasons = known ? found : [{ rule: null, code: first.code, message: first.message }, ...found];
  const sorted = reasons.toSorted((a, b) => position(a.rule) - position(b.rule));
  const [only] = sorted;
  const message =
    sorted.length === 1 && only !== undefined
      ? first.message
      : `the bundle is refused for ${sorted.length} reasons: ${sorted.map((reason) => reason.message).join("; ")}`;
  return new SluiceError(first.code, message, {
    hint: first.hint,
    details: { ...first.details, reasons: sorted },
    cause: first.cause ?? first,
  });
}

function position(rule: StartupRule | null): number {
  return rule === null ? -1 : startupRules.indexOf(rule);
}
