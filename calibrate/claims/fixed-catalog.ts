import type { ClaimReading } from "../point-evidence.js";

/** Claim "fixed-catalog": every request counts, because it speaks about new requests to the same workflows only. */
export const readAsRequests: ClaimReading = (counts) => ({ designEffect: 1, plannedEffective: counts.routed });
