import { SluiceError } from "../../base/error.js";
import type { TrustedKey, TrustStore } from "../trust-policy.js";
import { validityState } from "../validity.js";

/**
 * Of the keys that signed, returns the currently valid one that expires last.
 * @throws {SluiceError} EXPIRED, or NOT_YET_VALID if one becomes valid later
 */
export function requireValidKey(keys: readonly TrustedKey[], trust: TrustStore, now: Date, what: string): TrustedKey {
  const states = keys.map((key) => validityState(key, now.getTime(), trust.clockSkewMs));
  const [valid] = keys.filter((_, index) => states[index] === "VALID").sort((a, b) => b.expires - a.expires);
  if (valid !== undefined) return valid;
  const code = states.includes("NOT_YET_VALID") ? "NOT_YET_VALID" : "EXPIRED";
  throw new SluiceError(code, `${what}: the signing key is ${code === "EXPIRED" ? "expired" : "not valid yet"}`);
}
