import type { RequiredTiers } from "../../../calibrate/certify-claims.js";
import type { TierMix } from "../../../calibrate/traffic.js";
import { type RiskTier, riskTiers } from "../../../src/domain/choices.js";
import { SluiceError } from "../../../src/errors/error.js";
import { count, probability, type ValueKind } from "../../parsers.js";

/** A target for all tiers together, e.g. `0.1`. */
export const targetShare: ValueKind<number> = {
  placeholder: "RISK",
  parse: (raw, name) => {
    const share = shareIn(raw);
    if (share !== undefined && share > 0) return share;
    const hint = raw.includes("=")
      ? `Write ${name} 0.1 for all tiers together, and --require-tier critical=0.05 for a tier with its own target.`
      : `Write ${name} 0.1 for 10 %.`;
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected a number above 0 and below 1`, { hint });
  },
};

/** Targets of tiers that must hold by themselves, e.g. `critical=0.05` or `high=0.08,critical=0.05`. */
export const requiredTiers: ValueKind<RequiredTiers> = {
  placeholder: "TIER=RISK,...",
  parse: (raw, name) => {
    const pairs = raw.split(",").map((part) => part.trim().split("=") as [RiskTier, string]);
    const targets = new Map(pairs.map(([tier, share]) => [tier, shareIn(share)]));
    const known = pairs.every(([tier]) => riskTiers.includes(tier) && (targets.get(tier) ?? 0) > 0);
    if (known && targets.size === pairs.length) return Object.fromEntries(targets) as RequiredTiers;
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected tiers with a number above 0 and below 1 each`, {
      hint: `Write ${name} critical=0.05 or ${name} high=0.08,critical=0.05; the tiers are ${riskTiers.join(", ")}.`,
    });
  },
};

/** Errors that the first tested threshold allows, then the fallbacks, e.g. `3,1,0`. */
export const startErrors: ValueKind<readonly number[]> = {
  placeholder: "COUNT,...",
  parse: (raw, name) => raw.split(",").map((part) => count.parse(part.trim(), name)),
};

/** Shares of the tiers in the in-scope requests, e.g. `low=0.5,medium=0.3,high=0.2,critical=0`; they sum to 1. */
export const tierMix: ValueKind<TierMix> = {
  placeholder: "low=..,medium=..,high=..,critical=..",
  parse: (raw, name) => {
    const found = new Map(raw.split(",").map((part) => part.trim().split("=") as [string, string]));
    const shares = riskTiers.map((tier) => probability.parse(found.get(tier) ?? "", `${name} ${tier}`));
    const [low = 0, medium = 0, high = 0, critical = 0] = shares;
    if (found.size === riskTiers.length && Math.abs(low + medium + high + critical - 1) <= 1e-9) {
      return { low, medium, high, critical };
    }
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected one share per tier that sum to 1`, {
      hint: `Write ${name} low=0.4,medium=0.3,high=0.2,critical=0.1.`,
    });
  },
};

/** A cost of one request, in any unit. */
export const cost: ValueKind<number> = {
  placeholder: "COST",
  parse: (raw, name) => {
    if (/^(0|[1-9]\d{0,11})(\.\d{1,12})?$/.test(raw)) return Number(raw);
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected a number of at least 0`, {
      hint: `Write ${name} 0.25.`,
    });
  },
};

/** Sizes in multiples of the present one, e.g. `1,2,4`; each at least 0.1 and at most 100. */
export const factors: ValueKind<readonly number[]> = {
  placeholder: "A,B,...",
  parse: (raw, name) => {
    const values = raw
      .split(",")
      .map((part) => (/^\d{1,3}(\.\d{1,3})?$/.test(part.trim()) ? Number(part) : Number.NaN));
    if (values.every((value) => value >= 0.1 && value <= 100)) return [...new Set(values)];
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected numbers from 0.1 to 100 separated by commas`, {
      hint: `Write ${name} 1,2,4.`,
    });
  },
};

function shareIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^0?\.\d+$/.test(text)) return undefined;
  return Number(text);
}
