import { SluiceError } from "../../../src/errors/error.js";
import { count, probability, type ValueKind } from "../../parsers.js";

/** Targets separated by commas, e.g. `0.05,0.1`; each above 0 and below 1. */
export const shares: ValueKind<readonly number[]> = {
  placeholder: "RISK,...",
  parse: (raw, name) => {
    const values = raw.split(",").map((part) => probability.parse(part.trim(), name));
    if (values.every((value) => value > 0 && value < 1)) return [...new Set(values)];
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected numbers above 0 and below 1`, {
      hint: `Write ${name} 0.05,0.1.`,
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
