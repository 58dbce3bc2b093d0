import { type ErrorCode, type ErrorCodeEntry, errorCodes } from "./error-codes.js";
import { type Text, textOf } from "./invocation.js";

export { command, type Invocation, say, type Text, textOf } from "./invocation.js";

export interface SluiceErrorOptions {
  /** Next step for the reader, preferably a command that runs as printed. */
  readonly hint?: Text | undefined;
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
  /** The hint with its commands as parts. */
  readonly advice: Text | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: SluiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.advice = options.hint;
    this.details = options.details;
  }

  /** The hint as plain text. */
  get hint(): string | undefined {
    return this.advice && textOf(this.advice);
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

/** The remedy of a code, without the backticks of its page. */
export function remedyOf(code: ErrorCode): Text {
  const { remedy }: ErrorCodeEntry = errorCodes[code];
  return [remedy].flat().map((part) => (typeof part === "string" ? part.replaceAll("`", "") : part));
}

/** The hint of an error or, without one, the remedy of its code. */
export const hintOrRemedy = ({ code, advice }: SluiceError): Text => advice ?? remedyOf(code);
