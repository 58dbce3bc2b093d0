import { type RiskTier, riskTiers } from "../../../src/domain/catalog.js";
import { SluiceError } from "../../../src/errors/error.js";
import { count, probability, type ValueKind } from "../../parsers.js";

export type Targets = Readonly<Record<RiskTier, number>>;

/** One target for every tier, e.g. `0.1`, or one for each: `low=0.2,medium=0.15,high=0.1,critical=0.1`. */
export const targets: ValueKind<Targets> = {
  placeholder: "RISK|low=..,medium=..,high=..,critical=..",
  parse: (raw, name) => {
    const parts = raw.includes("=") ? raw.split(",") : riskTiers.map((tier) => `${tier}=${raw}`);
    const found = new Map(parts.map((part) => part.trim().split("=") as [string, string]));
    const [low, medium, high, critical] = riskTiers.map((tier) => shareIn(found.get(tier)));
    const complete = found.size === riskTiers.length && parts.length === riskTiers.length;
    if (complete && low && medium && high && critical) return { low, medium, high, critical };
    throw new SluiceError(
      "USAGE",
      `${name}: found "${raw}", expected one number above 0 and below 1, or one per tier`,
      {
        hint: `Write ${name} 0.1 or ${name} low=0.2,medium=0.2,high=0.1,critical=0.1.`,
      },
    );
  },
};

/** Shares of the tiers in the in-scope requests, e.g. `low=0.5,medium=0.3,high=0.2,critical=0`; they sum to 1. */
export const tierMix: ValueKind<Targets> = {
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

/** How often something is repeated: 1 to 100,000 times. */
export const times: ValueKind<number> = {
  placeholder: "COUNT",
  parse: (raw, name) => {
    const value = count.parse(raw, name);
    if (value >= 1 && value <= 100_000) return value;
    throw new SluiceError("USAGE", `${name}: found ${raw}, expected 1 to 100000`, { hint: `Write ${name} 200.` });
  },
};

function shareIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^0?\.\d+$/.test(text)) return undefined;
  return Number(text);
}
