import type { ErrorCode } from "../../src/base/error-codes.js";
import { SluiceError } from "../../src/base/error.js";
import { type StartupRule, startupRules } from "../../src/router/start/start-finding.js";

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
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    details: { ...first.details, reasons: sorted },
    cause: first.cause ?? first,
  });
}

function position(rule: StartupRule | null): number {
  return rule === null ? -1 : startupRules.indexOf(rule);
}
