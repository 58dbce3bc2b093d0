import type { Estimate, Measured } from "../src/domain/evaluation.js";
import type { Rate } from "../src/domain/rate.js";

const labelWidth = 27;
const countWidth = 19;
const valueWidth = 10;
const intervalWidth = 18;
const clustersWidth = 10;

/** One line of the table of metrics: its cells as texts. */
export interface Row {
  readonly label: string;
  readonly count: string;
  readonly value: string;
  readonly interval: string;
  readonly clusters: string;
  readonly note?: string;
}

export function row({ label, count, value, interval, clusters, note = "" }: Row): string {
  const cells = [
    `  ${label}`.padEnd(labelWidth),
    count.padStart(countWidth),
    value.padStart(valueWidth),
    `  ${interval}`.padEnd(intervalWidth),
    clusters.padStart(clustersWidth),
    note === "" ? "" : `  ${note}`,
  ];
  return cells.join("").trimEnd();
}

/** A rate as `k / n`, value, interval and clusters. */
export function rateRow(label: string, rate: Rate, note = ""): string {
  return row({
    label,
    count: `${grouped(rate.k)} / ${grouped(rate.n)}`,
    value: valueText(rate.estimate),
    interval: intervalText(rate),
    clusters: grouped(rate.workflows),
    note,
  });
}

/** A number that is no rate, with its band where it has one; why it is undefined is the note. */
export function measuredRow(label: string, measured: Measured | Estimate, note = ""): string {
  const known = "workflows" in measured ? measured : { workflows: null, band: null };
  const reason = measured.nullReason === null || measured.n === 0 ? "" : reasonText[measured.nullReason];
  return row({
    label,
    count: `n = ${grouped(measured.n)}`,
    value: valueText(measured.value),
    interval: known.band === null ? "" : intervalText(known.band),
    clusters: known.workflows === null ? "" : grouped(known.workflows),
    note: note === "" ? (reason ?? "") : note,
  });
}

const reasonText: Readonly<Record<string, string>> = {
  ONE_SIDE_EMPTY: "one side empty",
  ZERO_VARIANCE: "no variance",
  INFINITE: "infinite",
};

export const valueText = (value: number | null): string => (value === null ? "undefined" : value.toFixed(4));

/** Ends rounded outward. */
export function intervalText({
  lower,
  upper,
}: {
  readonly lower: number | null;
  readonly upper: number | null;
}): string {
  return lower === null || upper === null ? "" : `[${roundDown(lower)}, ${roundUp(upper)}]`;
}

const scale = 1e4;
/** Slack for numbers that are a decimal up to floating-point error. */
const slack = 1e-9;

function roundDown(value: number): string {
  return (Math.floor(value * scale + slack) / scale).toFixed(4);
}

export function roundUp(value: number): string {
  return (Math.ceil(value * scale - slack) / scale).toFixed(4);
}

/** Thousands separated by commas, whatever the locale. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A share as per cent without needless zeros. */
export const percent = (share: number): string => `${Number((100 * share).toFixed(4))} %`;
