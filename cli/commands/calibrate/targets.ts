import { type RiskTier, riskTiers } from "../../../src/domain/catalog.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { ValueKind } from "../../parsers.js";

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

function shareIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^0?\.\d+$/.test(text)) return undefined;
  return Number(text);
}
