import { type Fold, folds } from "../src/documents/choices.js";
import { command, say, SluiceError } from "../src/base/error.js";
import type { SeededRandom } from "../src/base/numbers/seeded-random.js";
import { assignShares, type FoldFractions } from "./assign-folds.js";
import type { SplitUnit } from "./split-units.js";

export interface CrossValidation {
  /** Number of parts of the data, at least 4: one per fold, and more for larger folds. */
  readonly parts: number;
  /** Number of repeated draws, at least 1. */
  readonly repeats: number;
}

/** One assignment of all units to folds; repeats and rotations are numbered from 0. */
export interface Rotation {
  readonly repeat: number;
  readonly rotation: number;
  readonly foldOf: ReadonlyMap<SplitUnit, Fold>;
}

const roundUpTo = folds.length;

/**
 * Draws the parts once per repeat, with every stratum spread evenly over them, then rotates the folds so that every
 * part is EVAL once per repeat. Sorted by repeat, then by rotation.
 * @throws {SluiceError} USAGE  fewer than 4 parts, or no repeat
 */
export function rotateFolds(
  strata: readonly (readonly SplitUnit[])[],
  { parts, repeats }: CrossValidation,
  fractions: FoldFractions,
  random: SeededRandom,
): readonly Rotation[] {
  if (parts < roundUpTo || repeats < 1) {
    throw new SluiceError("USAGE", `${parts} parts and ${repeats} repeats: expected at least ${roundUpTo} and 1`, {
      hint: say`For example: ${command`sluice dataset split --folds 5 --repeats 2`}`,
    });
  }
  const roles = rolesOf(parts, fractions);
  const shares = Array.from({ length: parts }, () => 1 / parts);
  return Array.from({ length: repeats }, (_, repeat) => {
    const partOf = strata.flatMap((units) => [...assignShares(units, shares, random)]);
    return Array.from({ length: parts }, (__, rotation) => ({
      repeat,
      rotation,
      foldOf: new Map(partOf.map(([unit, part]) => [unit, roles[(part + rotation) % parts] ?? "fit"] as const)),
    }));
  }).flat();
}

/** The fold of each part: one part per fold, then each remaining part to the fold that is furthest behind its share. */
function rolesOf(parts: number, fractions: FoldFractions): readonly Fold[] {
  const counts: Record<Fold, number> = { fit: 1, tune: 1, certify: 1, eval: 1 };
  for (let given = folds.length; given < parts; given += 1) {
    const behind = (fold: Fold): number => fractions[fold] * parts - counts[fold];
    const fold = folds.reduce((best, candidate) => (behind(candidate) > behind(best) ? candidate : best));
    counts[fold] += 1;
  }
  return folds.flatMap((fold) => Array.from({ length: counts[fold] }, () => fold));
}
