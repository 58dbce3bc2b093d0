import type { Measured } from "./evaluation.js";
import type { Rate } from "./rate.js";

/** Formats of numbers in every result: terminal, HTML, Markdown, JSON and signed sentences. */

/** Tolerance for numbers that are decimals except for floating-point error. */
const slack = 1e-9;
/** Decimals of a printed proportion. */
const digits = 4;
const scale = 10 ** digits;

/** Printed for an empty denominator or an unknown interval. */
export const noData = "no data";

/**
 * An integer with comma-separated thousands, regardless of the locale: `2,617`. Fractions are truncated, because part
 * of a request is not evidence.
 */
export function formatCount(value: number): string {
  return String(Math.floor(value + slack)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * A count with its noun: `1 workflow`, `2,617 requests`, `0 rows`.
 * @param many  default: the noun with an s
 * @example counted(1, "labelled request")
 */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${formatCount(count) === "1" ? one : many}`;

/** A number of items still to be collected, rounded up. */
export const formatCountUp = (value: number): string => formatCount(Math.ceil(value - slack));

/** A share as a percentage with two decimals: `5.00%`. */
export const formatFixedPercent = (share: number): string => `${(100 * share).toFixed(2)}%`;

/** A limit that must not look better than it is: a percentage rounded up at the second decimal. */
export const formatFixedPercentUp = (share: number): string => `${hundredthsUp(share).toFixed(2)}%`;

/** A confidence that must not look better than it is: a percentage rounded down at the second decimal. */
export const formatFixedPercentDown = (share: number): string => `${hundredthsDown(share).toFixed(2)}%`;

/** A share as a percentage with one decimal: `7.3%`. */
export const formatTenthsPercent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** A confidence as a percentage with one decimal, never certainty: `97.0%`, `>99.9%`. */
export const formatConfidence = (share: number): string => (share >= 0.9995 ? ">99.9%" : formatTenthsPercent(share));

/** Like `formatTenthsPercent`, rounded down and without a trailing zero. */
export const formatTenthsPercentDown = (share: number): string => `${Math.floor(1e3 * share + slack) / 10}%`;

/** A share as a percentage without trailing zeros: `95%`, `98.75%`. @param decimals  maximum number of decimals */
export const formatPercent = (share: number, decimals = digits): string =>
  `${Number((100 * share).toFixed(decimals))}%`;

/** Like `formatPercent`, rounded up at the second decimal. */
export const formatPercentUp = (share: number): string => `${hundredthsUp(share)}%`;

/** Like `formatPercent`, rounded down at the second decimal. */
export const formatPercentDown = (share: number): string => `${hundredthsDown(share)}%`;

const hundredthsUp = (share: number): number => Math.ceil(1e4 * share - slack) / 100;
const hundredthsDown = (share: number): number => Math.floor(1e4 * share + slack) / 100;

/** A score or loss rounded to 4 decimals: `0.0061`. */
export const formatProportion = (value: number): string => value.toFixed(digits);

/** A score to compare with a threshold, with 6 decimals: `0.912345`. */
export const formatScore = (value: number): string => value.toFixed(6);

/** A p-value with 4 decimals, rounded up: `0.0208`, `< 0.0001`. */
export const formatPValue = (value: number): string => (value < 0.0001 ? "< 0.0001" : formatUpper(value));

/** An upper limit, rounded up, so that the printed value never claims more than the exact one. */
export const formatUpper = (value: number): string => (Math.ceil(value * scale - slack) / scale).toFixed(digits);

/** A lower limit, rounded down. */
export const formatLower = (value: number): string => (Math.floor(value * scale + slack) / scale).toFixed(digits);

/** The interval of a score or a loss, rounded outward: `[0.9034, 0.9100]`. */
export const formatInterval = (lower: number, upper: number): string =>
  `[${formatLower(lower)}, ${formatUpper(upper)}]`;

/** The interval of a share, rounded outward: `[0.34%, 1.00%]`. */
export const formatShareInterval = (lower: number, upper: number): string =>
  `[${formatFixedPercentDown(lower)}, ${formatFixedPercentUp(upper)}]`;

/** Counts, share and interval of k events in n trials: `16/2,617 = 0.61% [0.34%, 1.00%]`; n >= 1. */
export function formatProportionOf(
  k: number,
  n: number,
  [lower, upper]: readonly [lower: number, upper: number],
): string {
  return `${formatCount(k)}/${formatCount(n)} = ${formatFixedPercent(k / n)} ${formatShareInterval(lower, upper)}`;
}

/** Counts and share: `16/2,617 = 0.61%`, or `0/0: no data`. */
export const formatCounts = ({ k, n }: Pick<Rate, "k" | "n">): string =>
  `${formatCount(k)}/${formatCount(n)}${n === 0 ? `: ${noData}` : ` = ${formatFixedPercent(k / n)}`}`;

/** Ends of an interval `[0.34%, 1.00%]`, or a claim's upper limit alone `limit 1.00%`; empty without both. */
export function formatLimits({ lower, upper }: Pick<Rate, "lower" | "upper">): string {
  if (upper === null) return "";
  return lower === null ? `limit ${formatFixedPercentUp(upper)}` : formatShareInterval(lower, upper);
}

/** A rate as counts, share, and interval or limit, or `0/0: no data`. */
export function formatRate(rate: Pick<Rate, "k" | "n" | "lower" | "upper">): string {
  const limits = formatLimits(rate);
  return `${formatCounts(rate)}${limits.startsWith("limit") ? "," : ""}${limits === "" ? "" : ` ${limits}`}`;
}

/**
 * Basis of a rate: its clusters, and the level and method of its interval; of a claim's limit, its independent requests.
 * Empty without limits.
 */
export function formatBasis(rate: Rate): string {
  if (rate.upper === null) return "";
  if (rate.sides === 1) {
    const counts = counted(rate.effective_n ?? rate.n, "independent request");
    return `one-sided ${formatPercent(rate.confidence, 2)} limit of the claim; counts as ${counts}`;
  }
  const clusters = counted(rate.clusters, "cluster");
  const level = `${formatPercent(rate.confidence)} interval`;
  if (rate.method === "clopper-pearson") return `${clusters}; ${level} for independent requests`;
  return `${clusters}; ${level} for clustered requests`;
}

/** A number that is not a proportion of counts: its value and n, or the reason why it is undefined. */
export function formatMeasured(measured: Measured): string {
  const n = `n = ${formatCount(measured.n)}`;
  return measured.value === null
    ? `${noData} (${measured.null_reason}, ${n})`
    : `${formatProportion(measured.value)} (${n})`;
}

/** A number that may be undefined: `0.0061`, or `undefined`. */
export const formatValue = (value: number | null): string => (value === null ? "undefined" : formatProportion(value));

/** A share that may be undefined: `0.61%`, or `no data`. */
export const formatShare = (share: number | null): string => (share === null ? noData : formatFixedPercent(share));

/** A difference of shares in percentage points with its sign: `+4.20 pp`. */
export const formatShareDifference = (value: number | null): string =>
  value === null ? noData : `${value < 0 ? "-" : "+"}${(100 * Math.abs(value)).toFixed(2)} pp`;

/** A difference with its sign: `+0.0420`. */
export const formatDifference = (value: number | null): string =>
  value === null ? "undefined" : `${value < 0 ? "-" : "+"}${formatProportion(Math.abs(value))}`;

/** A duration in seconds: `12.3 s`. */
export const formatSeconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** A short duration in milliseconds: `0.8 ms`. */
export const formatMilliseconds = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`;

/** A size in units of 10^6 bytes: `21.5 MB`. */
export const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Odds relative to the first candidate, such as "1 : 12". */
export const formatOdds = (odds: number): string =>
  odds < 1e-6 ? "< 1 : 1,000,000" : `1 : ${Number((1 / odds).toPrecision(2)).toLocaleString("en")}`;
