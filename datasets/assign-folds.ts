import { type Fold, folds } from "../src/domain/split.js";
import type { SeededRandom } from "../src/stats/seeded-random.js";
import type { SplitUnit } from "./split-units.js";

/** Share of each fold; positive numbers that sum to 1. */
export type FoldFractions = Readonly<Record<Fold, number>>;

/** Units of similar size among which the folds are drawn. */
const blockSize = 10;

/**
 * Assigns the units of one stratum: sorted by size, shuffled among their neighbours of similar size, then each given
 * to the fold that is furthest behind its share of clusters. So every fold gets its share of clusters within one unit,
 * and large and small units alike.
 */
export function assignFolds(
  units: readonly SplitUnit[],
  fractions: FoldFractions,
  random: SeededRandom,
): ReadonlyMap<SplitUnit, Fold> {
  const assigned = new Map<SplitUnit, Fold>();
  const clusters: Record<Fold, number> = { fit: 0, tune: 0, certify: 0, eval: 0 };
  let total = 0;
  for (const unit of shuffledBySize(units, random)) {
    total += unit.clusters.length;
    const behind = (fold: Fold): number => fractions[fold] * total - clusters[fold];
    const fold = folds.reduce((best, candidate) => (behind(candidate) > behind(best) ? candidate : best));
    clusters[fold] += unit.clusters.length;
    assigned.set(unit, fold);
  }
  return assigned;
}

function shuffledBySize(units: readonly SplitUnit[], random: SeededRandom): readonly SplitUnit[] {
  const sorted = random.shuffle(units).sort((a, b) => b.rows.length - a.rows.length);
  const shuffled: SplitUnit[] = [];
  for (let start = 0; start < sorted.length; start += blockSize) {
    shuffled.push(...random.shuffle(sorted.slice(start, start + blockSize)));
  }
  return shuffled;
}
