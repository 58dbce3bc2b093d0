import { formatBasis, formatRate } from "../src/documents/number-text.js";
import type { Rate } from "../src/documents/rate.js";
import type { RateLine } from "./blocks.js";

export function rateLine(label: string, direction: RateLine["direction"], rate: Rate, meaning: string): RateLine {
  return { label, direction, text: formatRate(rate), basis: formatBasis(rate), meaning };
}
