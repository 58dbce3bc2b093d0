import { SluiceError } from "../base/error.js";

/** Period of validity: `notBefore` (inclusive) to `expires` (exclusive), in milliseconds since 1970 UTC. */
export interface Validity {
  readonly notBefore: number;
  readonly expires: number;
}

/**
 * Parses a UTC time of the form `2026-01-31T00:00:00Z`, the only accepted one, to milliseconds since 1970. A date that
 * does not exist (February 30) is refused.
 * @throws {SluiceError} DOCUMENT_INVALID
 */
export function parseTime(text: string, what: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time) || new Date(time).toISOString() !== text.replace(/Z$/, ".000Z")) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: expected a UTC time such as 2026-01-31T00:00:00Z`);
  }
  return time;
}

/**
 * Compares a period of validity with the clock, which may be off by up to `skewMs` in either direction.
 * @param now  milliseconds since 1970 UTC
 */
export function validityState(validity: Validity, now: number, skewMs: number): "VALID" | "NOT_YET_VALID" | "EXPIRED" {
  if (now < validity.notBefore - skewMs) return "NOT_YET_VALID";
  return now < validity.expires + skewMs ? "VALID" : "EXPIRED";
}
