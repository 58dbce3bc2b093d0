import { type ErrorCode, errorCodes } from "./error-codes.js";
import { SluiceError, type Text, toSluiceError } from "./error.js";

/** An error that can be sent between threads; structured clone would drop the fields of a class. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly hint: Text | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

export function toPlainError(thrown: unknown): PlainError {
  const error = toSluiceError(thrown);
  return { code: error.code, message: error.message, hint: error.advice ?? null, details: error.details ?? null };
}

export function fromPlainError(plain: PlainError): SluiceError {
  const code: ErrorCode = Object.hasOwn(errorCodes, plain.code) ? (plain.code as ErrorCode) : "INTERNAL";
  const { hint, details } = plain;
  return new SluiceError(code, plain.message, {
    ...(hint === null ? {} : { hint }),
    ...(details === null ? {} : { details }),
  });
}
