import { type Fold, folds } from "../src/documents/choices.js";
import type { SeededRandom } from "../src/base/numbers/seeded-random.js";
import type { SplitUnit } from "./split-units.js";

/** Share of each fold; numbers >= 0 that sum to 1. */
export type FoldFractions = Readonly<Record<Fold, number>>;

/** The shares of the remaining requests if FIT is fixed. */
export function withoutFit({ tune, certify, eval: evaluation }: FoldFractions): FoldFractions {
  const rest = tune + certify + evaluation;
  return { fit: 0, tune: tune / rest, certify: certify / rest, eval: evaluation / rest };
}

/** Number of units of similar size that are shuffled together. */
const blockSize = 10;

/**
 * Assigns the units of one stratum. They are sorted by size, shuffled among neighbours of similar size, and each
 * assigned to the part that is furthest behind its share of clusters. Every part thus gets its share of clusters to
 * within one unit, with a similar mix of large and small units.
 * @param shares  numbers >= 0 that sum to 1; a share of 0 gets nothing
 * @param already  number of clusters of the stratum that each part already has. Default: none
 * @returns  the index of the share of each unit
 */
export function assignShares(
  units: readonly SplitUnit[],
  shares: readonly number[],
  random: SeededRandom,
  already: readonly number[] = [],
): ReadonlyMap<SplitUnit, number> {
  const assigned = new Map<SplitUnit, number>();
  const clusters = shares.map((_, part) => already[part] ?? 0);
  let total = clusters.reduce((sum, count) => sum + count, 0);
  for (const unit of shuffledBySize(units, random)) {
    total += unit.clusters.length;
    const behind = (part: number): number => (shares[part] ?? 0) * total - (clusters[part] ?? 0);
    let chosen = 0;
    for (let part = 1; part < shares.length; part += 1) if (behind(part) > behind(chosen)) chosen = part;
    clusters[chosen] = (clusters[chosen] ?? 0) + unit.clusters.length;
    assigned.set(unit, chosen);
  }
  return assigned;
}

/** Assigns the units of one stratum to the folds, some of which may already have clusters; see `assignShares`. */
export function assignFolds(
  units: readonly SplitUnit[],
  fractions: FoldFractions,
  random: SeededRandom,
  already: Readonly<Partial<Record<Fold, number>>> = {},
): ReadonlyMap<SplitUnit, Fold> {
  const shares = folds.map((fold) => fractions[fold]);
  const counts = folds.map((fold) => already[fold] ?? 0);
  const assigned = assignShares(units, shares, random, counts);
  return new Map([...assigned].map(([unit, part]) => [unit, folds[part] ?? "fit"]));
}

function shuffledBySize(units: readonly SplitUnit[], random: SeededRandom): readonly SplitUnit[] {
  const sorted = random.shuffle(units).sort((a, b) => b.rows.length - a.rows.length);
  const shuffled: SplitUnit[] = [];
  for (let start = 0; start < sorted.length; start += blockSize) {
    shuffled.push(...random.shuffle(sorted.slice(start, start + blockSize)));
  }
  return shuffled;
}
