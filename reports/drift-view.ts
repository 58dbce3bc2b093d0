import type { Calibration } from "../src/domain/calibration.js";
import { formatCount } from "../src/domain/number-text.js";
import { driftValue, expectedRates } from "../src/stats/expected-rates.js";
import type { ReportedRequest } from "./reported-request.js";
import type { ChartView, DriftData } from "./report-model.js";

const share = (value: number): string => value.toFixed(3);

function rowsOf(requests: readonly ReportedRequest[], calibration: Calibration): DriftData["rows"] {
  return expectedRates(calibration).flatMap((expected) => {
    const values = requests.flatMap(({ reason, routed, tier, confidence }) => {
      if (reason === null) return [];
      return driftValue(expected, { routed, reasonCode: reason, riskTier: tier, confidence }) ?? [];
    });
    if (values.length === 0) return [];
    const { statistic, tier, lower, upper } = expected;
    const value = values.reduce((sum, each) => sum + each, 0) / values.length;
    const label = tier === "all" ? `${statistic}, all tiers` : `${statistic}, tier ${tier}`;
    return [{ label, lower, upper, value, requests: values.length, inside: value >= lower && value <= upper }];
  });
}

/** The statistics that a server watches for drift, on the requests of the report; empty without a calibration. */
export function driftView(requests: readonly ReportedRequest[], calibration: Calibration | null): ChartView<DriftData> {
  const rows = calibration === null ? [] : rowsOf(requests, calibration);
  const title = "These requests and those of the certification";
  return {
    title,
    caption:
      "The bar is where a statistic lies for requests like those of the certification (99 %), the mark where it lies here. " +
      "A server watches the same statistics for drift.",
    alt: `${title}: ${rows.map(({ label, value, inside }) => `${label} ${share(value)} ${inside ? "inside" : "outside"}`).join(", ")}.`,
    data: rows.length === 0 ? null : { rows },
    table: {
      caption: title,
      columns: [
        { label: "Statistic", numeric: false },
        { label: "Expected", numeric: true },
        { label: "Here", numeric: true },
        { label: "Requests", numeric: true },
        { label: "Inside", numeric: false },
      ],
      rows: rows.map(({ label, lower, upper, value, requests: count, inside }) => [
        label,
        `${share(lower)} to ${share(upper)}`,
        share(value),
        formatCount(count),
        inside ? "yes" : "no",
      ]),
    },
  };
}
