/** A share as a percentage with two decimals, e.g. "5.00 %". */
export function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

/** A limit that must not look better than it is: rounded up at the second decimal of the percentage. */
export function percentUp(share: number): string {
  return `${(Math.ceil(1e4 * share - 1e-9) / 100).toFixed(2)} %`;
}

/** A confidence that must not look better than it is: rounded down at the second decimal of the percentage. */
export function percentDown(share: number): string {
  return `${(Math.floor(1e4 * share + 1e-9) / 100).toFixed(2)} %`;
}

/** A share as a percentage without trailing zeros, e.g. "10 %" or "2.5 %". */
export function roundPercent(share: number): string {
  return `${Number((100 * share).toPrecision(4))} %`;
}

/** A confidence without trailing zeros, rounded down: "95 %", "98.75 %". */
export function roundPercentDown(share: number): string {
  return `${Math.floor(1e4 * share + 1e-9) / 100} %`;
}

/** A count with separators: "1,200". Fractions are cut: a part of a request is no evidence. */
export function count(value: number): string {
  return Math.floor(value + 1e-9).toLocaleString("en-US");
}

/** A count to collect, rounded up. */
export function countUp(value: number): string {
  return Math.ceil(value - 1e-9).toLocaleString("en-US");
}
