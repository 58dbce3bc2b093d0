import { type ErrorCode, type ErrorCodeEntry, errorCodes } from "./error-codes.js";

export interface SluiceErrorOptions {
  /** Next step for the reader, preferably a command that runs as printed. */
  readonly hint?: string;
  /** JSON-safe facts for `--json`: paths, counts, digests. Never request text, keys or passphrases. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error class. `message` says what was found and what was expected.
 * Abstention and a missed gate are values, never errors of this class.
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

/** Normalises any thrown value; an unknown one becomes INTERNAL with the original as its cause. */
export function toSluiceError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const message = thrown instanceof Error ? thrown.message : "a value that is not an error was thrown";
  return new SluiceError("INTERNAL", message, { cause: thrown });
}

/** The remedy of a code as plain text. */
export const remedyOf = (code: ErrorCode): string => errorCodes[code].remedy.replaceAll("`", "");

/** The hint of an error, or else the remedy of its code, as plain text. */
export const hintOrRemedy = ({ code, hint }: SluiceError): string => hint ?? remedyOf(code);
