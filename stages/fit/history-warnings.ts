import type { RoutableRow } from "../../calibrate/routable.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { counted, formatCount } from "../../src/documents/number-text.js";
import type { Split } from "../../src/documents/split.js";

type History = Pick<Split, "retained" | "wrong_before" | "withdrawn" | "merged">;

interface TestedRows {
  readonly rows: readonly RoutableRow[];
  readonly calibration: Pick<Calibration, "tiers" | "languages">;
}

/** Warnings for approvers about previously tested rows. */
export function historyWarnings(
  { retained = 0, wrong_before: wrong = 0, withdrawn = [], merged = [] }: History,
  tested: TestedRows,
): readonly string[] {
  return [
    ...(retained === 0
      ? []
      : [
          `${counted(
            retained,
            "request was edited after it had been scored; the test still uses the original",
            "requests were edited after they had been scored; the test still uses the originals",
          )}.`,
        ]),
    ...(wrong === 0 ? [] : [earlierWrongText(wrong, countedNow(tested))]),
    ...merged.map(
      ({ from, into, requests }) => `${from} was merged into ${into}: ${counted(requests, "tested request")}.`,
    ),
    ...(withdrawn.length === 0
      ? []
      : [
          `${counted(withdrawn.length, "label was", "labels were")} withdrawn as wrong and ${withdrawn.length === 1 ? "is" : "are"} not tested; the annex of the release page lists the reasons.`,
        ]),
  ];
}

/** Number of rows that were routed wrongly before and reach the present threshold, so that the claim counts them. */
function countedNow({ rows, calibration: { tiers, languages } }: TestedRows): number {
  const thresholdOf = ({ tier, language }: RoutableRow): number | null => {
    const own = languages?.thresholds?.find((one) => one.language === language);
    return own === undefined ? tiers[tier].confidence : own.confidence;
  };
  return rows.filter((row) => {
    const threshold = thresholdOf(row);
    return row.request?.wrong_before !== undefined && threshold !== null && row.confidence >= threshold;
  }).length;
}

/** @param wrong  number of requests that an earlier calibration routed wrongly, @param now  those that the claim counts */
function earlierWrongText(wrong: number, now: number): string {
  const found = counted(wrong, "request was", "requests were");
  const routed = `${found} routed wrongly by an earlier calibration`;
  if (now === 0) return `${routed}; ${wrong === 1 ? "it is" : "all are"} declined now, so none counts in this result.`;
  const those =
    wrong === now ? (wrong === 1 ? "it counts" : "all count") : `${formatCount(now)} ${now === 1 ? "counts" : "count"}`;
  const others = wrong === now ? "" : `; the ${wrong - now === 1 ? "other is" : "others are"} declined now`;
  return (
    `${routed}: ${those} as wrong in this result, because the data or the workflows were edited since${others}. ` +
    "Replace the test by fresh requests to show that they were repaired."
  );
}
