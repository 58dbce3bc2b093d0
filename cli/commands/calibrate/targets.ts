import type { FitChoices } from "../../../calibrate/fit-options.js";
import type { TierMix } from "../../../calibrate/traffic.js";
import { type RiskTier, riskTiers } from "../../../src/documents/choices.js";
import { kind, listOf, probabilityIn, wholeNumber } from "../../parsers.js";

const shareIn = (raw = ""): number | undefined => (/^0?\.\d+$/.test(raw) && Number(raw) > 0 ? Number(raw) : undefined);

/** A target for all tiers together. */
export const targetShare = kind("RISK", "a number above 0 and below 1 such as 0.1, for all tiers together", shareIn);

/** Targets of tiers that must hold by themselves, e.g. `high=0.08,critical=0.05`. */
export const requiredTiers = kind(
  "TIER=RISK,...",
  `tiers with a number above 0 and below 1 each, such as critical=0.05; the tiers are ${riskTiers.join(", ")}`,
  (raw) => {
    const targets = pairsIn(raw).map(([tier, share]) => [tier, shareIn(share)] as const);
    const known = targets.every(([tier, share]) => riskTiers.includes(tier) && share !== undefined);
    return known && isDistinct(targets)
      ? (Object.fromEntries(targets) as NonNullable<FitChoices["required_tiers"]>)
      : undefined;
  },
);

/** Errors that the first tested threshold allows, then the fallbacks. */
export const initialAllowedErrors = listOf("COUNT,...", "whole numbers such as 3,1,0", {
  read: (raw) => wholeNumber(raw, Number.MAX_SAFE_INTEGER),
});

/** Shares of the tiers in the in-scope requests. */
export const tierMix = kind(
  "low=..,medium=..,high=..,critical=..",
  "one share per tier that sum to 1, such as low=0.4,medium=0.3,high=0.2,critical=0.1",
  (raw): TierMix | undefined => {
    const found = new Map(pairsIn(raw));
    const [low, medium, high, critical] = riskTiers.map((tier) => probabilityIn(found.get(tier) ?? ""));
    if (low === undefined || medium === undefined || high === undefined || critical === undefined) return undefined;
    const isWhole = Math.abs(low + medium + high + critical - 1) <= 1e-9;
    return isWhole && found.size === riskTiers.length ? { low, medium, high, critical } : undefined;
  },
);

/** A cost of one request, in any unit. */
export const cost = kind("COST", "a number of at least 0", (raw) =>
  /^(0|[1-9]\d{0,11})(\.\d{1,12})?$/.test(raw) ? Number(raw) : undefined,
);

/** Targets, each above 0 and below 1. */
export const shares = listOf("RISK,...", "numbers above 0 and below 1 such as 0.05,0.1", {
  read: (raw) => {
    const share = probabilityIn(raw);
    return share !== undefined && share > 0 && share < 1 ? share : undefined;
  },
});

/** How often something is repeated. */
export const times = kind("COUNT", "a whole number from 1 to 100000", (raw) => wholeNumber(raw, 100_000) || undefined);

const pairsIn = (raw: string) => raw.split(",").map((part) => part.trim().split("=") as [RiskTier, string]);

const isDistinct = (pairs: readonly (readonly [string, unknown])[]): boolean =>
  new Set(pairs.map(([name]) => name)).size === pairs.length;
