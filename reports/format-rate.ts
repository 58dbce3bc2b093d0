import type { Measured } from "../src/domain/evaluation.js";
import type { Rate } from "../src/domain/rate.js";

/** Decimals of every printed proportion. */
const digits = 4;
const step = 10 ** -digits;

/** Printed where a denominator is empty or an interval is unknown. */
export const noData = "no data";

/** Integer with a comma between thousands, whatever the locale of the machine: `2,617`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Proportion to the nearest 4 decimals: `0.0061`. */
export function formatProportion(value: number): string {
  return value.toFixed(digits);
}

/** Upper limit in [0, 1], rounded up, so that the printed limit never claims more than the exact one. */
export function formatUpper(value: number): string {
  const nearest = value.toFixed(digits);
  return Number(nearest) >= value ? nearest : Math.min(1, Number(nearest) + step).toFixed(digits);
}

/** Lower limit in [0, 1], rounded down. */
export function formatLower(value: number): string {
  const nearest = value.toFixed(digits);
  return Number(nearest) <= value ? nearest : Math.max(0, Number(nearest) - step).toFixed(digits);
}

/** Interval as `[0.0034, 0.0100]`, lower limit rounded down and upper limit rounded up. */
export function formatInterval(lower: number, upper: number): string {
  return `[${formatLower(lower)}, ${formatUpper(upper)}]`;
}

/** Counts, estimate and interval of k events in n trials: `16/2,617 = 0.0061 [0.0034, 0.0100]`; n >= 1. */
export function formatProportionOf(k: number, n: number, interval: readonly [lower: number, upper: number]): string {
  return `${formatCount(k)}/${formatCount(n)} = ${formatProportion(k / n)} ${formatInterval(...interval)}`;
}

/** A rate as counts, estimate and interval, or `0/0: no data`. */
export function formatRate(rate: Rate): string {
  if (rate.estimate === null || rate.lower === null || rate.upper === null) {
    return `${formatCount(rate.k)}/${formatCount(rate.n)}: ${noData}`;
  }
  return (
    `${formatCount(rate.k)}/${formatCount(rate.n)} = ${formatProportion(rate.estimate)} ` +
    formatInterval(rate.lower, rate.upper)
  );
}

/** Share of confidence as a whole or decimal percent: `95 %`. */
export function formatPercent(value: number): string {
  return `${Number((value * 100).toFixed(4))} %`;
}

/** What stands behind a rate: number of workflows and out-of-scope groups, level and method of its interval, and its effective size; empty without trials. */
export function formatBasis(rate: Rate): string {
  if (rate.estimate === null) return "";
  const workflows = `${formatCount(rate.workflows)} ${rate.workflows === 1 ? "workflow or group" : "workflows and groups"}`;
  const level = `${formatPercent(rate.confidence)} interval`;
  if (rate.method === "clopper-pearson") return `${workflows}; ${level} for independent requests`;
  const counted =
    rate.effectiveN === null ? "" : `; counts as ${formatEffective(rate.effectiveN)} independent requests`;
  return `${workflows}; ${level} for clustered requests${counted}`;
}

/** Effective number of independent requests, one decimal, rounded down. */
export function formatEffective(value: number): string {
  const tenths = Math.floor(value * 10 + 1e-9);
  return `${formatCount(Math.floor(tenths / 10))}.${tenths % 10}`;
}

/** A number that is not a proportion of counts: value and n, or the reason why there is none. */
export function formatMeasured(measured: Measured): string {
  const n = `n = ${formatCount(measured.n)}`;
  return measured.value === null
    ? `${noData} (${measured.nullReason}, ${n})`
    : `${formatProportion(measured.value)} (${n})`;
}

/** A stored threshold or target exactly as stored, never rounded. */
export function formatExact(value: number): string {
  return String(value);
}
