import { type ErrorCode, type ErrorCodeEntry, errorCodes } from "./error-codes.js";

export interface SluiceErrorOptions {
  /** Next step for the reader, preferably a command that runs as printed. */
  readonly hint?: string | undefined;
  /** Facts for `--json` that are safe as JSON: paths, counts, digests. Never request texts, keys or passphrases. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/**
 * The only error class. `message` states what was found and what was expected. An abstention or a failed gate is a
 * value, not an error of this class.
 */
export class SluiceError extends Error {
  override readonly name = "SluiceError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: SluiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }

  get entry(): ErrorCodeEntry {
    return errorCodes[this.code];
  }
}

/** Converts any thrown value to a SluiceError; an unknown value becomes INTERNAL, with the original as its cause. */
export function toSluiceError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const message = thrown instanceof Error ? thrown.message : "a value that is not an error was thrown";
  return new SluiceError("INTERNAL", message, { cause: thrown });
}

export const remedyOf = (code: ErrorCode): string => errorCodes[code].remedy.replaceAll("`", "");

/** The hint of an error or, without one, the remedy of its code, as plain text. */
export const hintOrRemedy = ({ code, hint }: SluiceError): string => hint ?? remedyOf(code);
