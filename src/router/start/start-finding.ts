import type { ErrorCode } from "../../base/error-codes.js";
import { SluiceError, toSluiceError } from "../../base/error.js";

/** The rules that a production start must satisfy, in the order of the specification. */
export const startupRules = ["capability", "manifest", "identities", "exact_events", "catalog", "warm_up"] as const;
export type StartupRule = (typeof startupRules)[number];

/** A reason why a bundle does not start in production. */
export interface StartFinding {
  readonly rule: StartupRule;
  readonly code: ErrorCode;
  /** Part of the bundle that the finding is about. */
  readonly file: string;
  readonly message: string;
  /** How to repair it, if a single step suffices. */
  readonly hint?: string | undefined;
}

export function findingOf(thrown: unknown, rule: StartupRule, file: string): StartFinding {
  const { code, message, hint } = toSluiceError(thrown);
  return { rule, code, file, message, hint };
}

/**
 * Combines the findings of a group of checks into one error: code and hint of the first, every message, and the list in
 * details.findings.
 */
export function findingsError(findings: readonly StartFinding[]): SluiceError {
  const [first] = findings;
  const messages = findings.map(({ message }) => message).join("; ");
  return new SluiceError(first?.code ?? "INTERNAL", messages, {
    hint: first?.hint,
    details: { findings },
  });
}
