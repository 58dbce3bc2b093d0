import type { Calibration } from "../src/documents/calibration.js";
import { driftValue, expectedRates } from "../src/documents/expected-rates.js";
import { formatCount, formatTenthsPercent } from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";
import type { ReportedRequest } from "./reported-request.js";

/**
 * The drift statistics of a server, computed on the requests of the report, next to the range (99%) that the
 * calibration expects for requests like those of the certification; empty without a calibration.
 */
export function driftTable(requests: readonly ReportedRequest[], calibration: Calibration | null): ReportTable {
  const rows = (calibration === null ? [] : expectedRates(calibration)).flatMap((expected) => {
    const values = requests.flatMap(({ reason, routed, tier, confidence }) => {
      if (reason === null) return [];
      return driftValue(expected, { routed, followUp: false, reasonCode: reason, riskTier: tier, confidence }) ?? [];
    });
    if (values.length === 0) return [];
    const { statistic, tier, lower, upper } = expected;
    const value = values.reduce((sum, each) => sum + each, 0) / values.length;
    const shown = (rate: number) => (statistic === "confidence" ? rate.toFixed(3) : formatTenthsPercent(rate));
    return [
      [
        tier === "all" ? `${statistic}, all tiers` : `${statistic}, tier ${tier}`,
        `${shown(lower)} to ${shown(upper)}`,
        shown(value),
        formatCount(values.length),
        value >= lower && value <= upper ? "yes" : "no",
      ],
    ];
  });
  return reportTable(
    "These requests compared with the certification, as a server monitors them for drift",
    ["Statistic", num("Expected (99%)"), num("Measured"), num("Requests"), "In the range"],
    rows,
  );
}
