import {
  formatCount,
  formatInterval,
  formatLimits,
  formatShare,
  formatValue,
} from "../../src/documents/number-text.js";
import type { Estimate, Measured } from "../../src/documents/evaluation.js";
import type { Rate } from "../../src/documents/rate.js";

const labelWidth = 27;
const countWidth = 17;
const valueWidth = 10;
const intervalWidth = 21;
const clustersWidth = 9;

/** One line of the metrics table, as formatted cells. */
interface Row {
  readonly label: string;
  readonly count: string;
  readonly value: string;
  readonly interval: string;
  readonly clusters: string;
  readonly note?: string;
}

export function row({ label, count, value, interval, clusters, note = "" }: Row): string {
  const head = `  ${label}`.padEnd(labelWidth);
  const cells = [
    head,
    count.padStart(labelWidth + countWidth - head.length),
    value.padStart(valueWidth),
    `  ${interval}`.padEnd(intervalWidth),
    clusters.padStart(clustersWidth),
    note === "" ? "" : `  ${note}`,
  ];
  return cells.join("").trimEnd();
}

/** Formats a rate as `k / n`, share, interval and clusters. */
export function rateRow(label: string, rate: Rate, note = ""): string {
  return row({
    label,
    count: `${formatCount(rate.k)} / ${formatCount(rate.n)}`,
    value: formatShare(rate.estimate),
    interval: formatLimits(rate),
    clusters: formatCount(rate.clusters),
    note,
  });
}

/** Formats a number that is not a rate, with its band if any. The note of an undefined number is the reason. */
export function measuredRow(label: string, measured: Measured | Estimate, note = ""): string {
  const known = "clusters" in measured ? measured : { clusters: null, band: null };
  const reason = measured.null_reason === null || measured.n === 0 ? "" : reasonText[measured.null_reason];
  return row({
    label,
    count: `n = ${formatCount(measured.n)}`,
    value: formatValue(measured.value),
    interval: known.band === null ? "" : intervalText(known.band),
    clusters: known.clusters === null ? "" : formatCount(known.clusters),
    note: note === "" ? (reason ?? "") : note,
  });
}

const reasonText: Readonly<Record<string, string>> = {
  ONE_SIDE_EMPTY: "one side empty",
  ZERO_VARIANCE: "no variance",
  INFINITE: "infinite",
};

interface Ends {
  readonly lower: number | null;
  readonly upper: number | null;
}

/** Formats the interval of a score or loss; its ends are rounded outward. */
export const intervalText = ({ lower, upper }: Ends): string =>
  lower === null || upper === null ? "" : formatInterval(lower, upper);
