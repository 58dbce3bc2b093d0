import type { Manifest } from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import type { StartupRule } from "../../src/router/start/start-finding.js";

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
