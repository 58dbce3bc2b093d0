import { passes } from "./binomial-test.js";

/** Positions that the Bonferroni correction rejects at level `delta`, rising. */
export function bonferroni(pValues: readonly number[], delta: number): readonly number[] {
  return positionsWhere(pValues, (p) => passes(p, delta / pValues.length));
}

/** Positions that Holm's step-down procedure rejects at level `delta`, rising (Holm 1979). */
export function holm(pValues: readonly number[], delta: number): readonly number[] {
  const order = [...pValues.entries()].toSorted(([, a], [, b]) => a - b);
  const firstKept = order.findIndex(([, p], rank) => !passes(p, delta / (order.length - rank)));
  return order
    .slice(0, firstKept === -1 ? order.length : firstKept)
    .map(([position]) => position)
    .toSorted((a, b) => a - b);
}

/** Hypotheses with their share of the level, and to whom each one leaves its share when it is rejected. */
export interface TestGraph {
  /** Shares of the level, >= 0, summing to at most 1. */
  readonly weights: readonly number[];
  /** transfer[i][j]: part of i's level that goes to j; rows sum to at most 1, the diagonal is 0. */
  readonly transfer: readonly (readonly number[])[];
}

/**
 * Positions that the graphical procedure rejects at level `delta`, rising (Bretz, Maurer, Brannath and Posch 2009).
 * A rejected hypothesis leaves its level to its successors. The result does not depend on the order of rejection.
 */
export function graphicalRejections(pValues: readonly number[], graph: TestGraph, delta: number): readonly number[] {
  const levels = graph.weights.map((weight) => weight * delta);
  let transfer = graph.transfer;
  const open = new Set(pValues.keys());
  for (;;) {
    const rejected = [...open].find((i) => (levels[i] ?? 0) > 0 && passes(pValues[i] ?? 1, (levels[i] ?? 0) + 1e-15));
    if (rejected === undefined) return positionsWhere(pValues, (_, i) => !open.has(i));
    open.delete(rejected);
    for (const l of open) (levels[l] as number) += (levels[rejected] ?? 0) * at(transfer, rejected, l);
    transfer = transferWithout(transfer, rejected, open);
  }
}

/**
 * The fallback procedure: levels are handed along the order of the hypotheses (Wiens 2003). With the whole weight on
 * the first one it is the fixed-sequence test.
 */
export function fallback(pValues: readonly number[], weights: readonly number[], delta: number): readonly number[] {
  const rejected: number[] = [];
  let inherited = 0;
  for (const [i, p] of pValues.entries()) {
    inherited += (weights[i] ?? 0) * delta;
    if (inherited > 0 && passes(p, inherited + 1e-15)) rejected.push(i);
    else inherited = 0;
  }
  return rejected;
}

const at = (matrix: readonly (readonly number[])[], i: number, j: number): number => matrix[i]?.[j] ?? 0;

function transferWithout(
  transfer: TestGraph["transfer"],
  gone: number,
  open: ReadonlySet<number>,
): TestGraph["transfer"] {
  return transfer.map((row, l) =>
    row.map((value, k) => {
      if (!open.has(l) || !open.has(k) || l === k) return 0;
      const loop = at(transfer, l, gone) * at(transfer, gone, l);
      return loop < 1 ? (value + at(transfer, l, gone) * at(transfer, gone, k)) / (1 - loop) : 0;
    }),
  );
}

function positionsWhere(pValues: readonly number[], keep: (p: number, i: number) => boolean): readonly number[] {
  return pValues.flatMap((p, i) => (keep(p, i) ? [i] : []));
}
