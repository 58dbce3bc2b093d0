import type { Calibrator } from "../src/domain/calibration.js";
import type { CalibrationRow, CalibratorFit } from "./calibrators/calibration-row.js";
import { logLoss } from "./calibrators/logistic.js";
import { fitPlatt } from "./calibrators/platt.js";
import { fitTemperature } from "./calibrators/temperature.js";

/** Families by rising number of parameters. */
const families = [
  { family: "identity", fit: (): CalibratorFit => ({ fitted: true, slope: 1, intercept: 0 }) },
  { family: "temperature", fit: fitTemperature },
  { family: "platt", fit: fitPlatt },
] as const;
type Family = (typeof families)[number];

export interface CalibratorOptions {
  /** Folds of the cross-fitting. Default 5. */
  readonly folds?: number;
  /** With fewer wrong first candidates only identity and temperature are considered. Default 100, a rule of thumb. */
  readonly errorsForPlatt?: number;
}

export interface CalibratorChoice {
  readonly calibrator: Calibrator;
  /** Mean cross-fitted negative log-likelihood in nats of every family that could be fitted. */
  readonly losses: readonly { readonly family: Calibrator["family"]; readonly loss: number }[];
  readonly warnings: readonly string[];
}

/** Fold of each cluster: clusters by falling size, then name, dealt out in turn. */
function foldOfCluster(rows: readonly CalibrationRow[], folds: number): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { cluster } of rows) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  const ordered = [...sizes].toSorted(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1));
  return new Map(ordered.map(([cluster], index) => [cluster, index % folds]));
}

const isUsable = (fit: CalibratorFit) => fit.fitted && fit.slope > 0;

/** Held-out loss of each row, times its weight; null when the family is refused on some training part. */
function crossFittedLosses(
  family: Family,
  rows: readonly CalibrationRow[],
  foldOf: ReadonlyMap<string, number>,
): readonly number[] | null {
  const parts = [...new Set(foldOf.values())];
  const fits = new Map(parts.map((fold) => [fold, family.fit(rows.filter((r) => foldOf.get(r.cluster) !== fold))]));
  const losses: number[] = [];
  for (const row of rows) {
    const fit = fits.get(foldOf.get(row.cluster) ?? 0);
    if (fit === undefined || !fit.fitted || !isUsable(fit)) return null;
    losses.push(row.weight * logLoss(fit.slope * row.logit + fit.intercept, row.right ? 1 : 0));
  }
  return losses;
}

/** Mean difference of two losses and its standard error, paired by cluster. */
function pairedDifference(
  rows: readonly CalibrationRow[],
  losses: readonly number[],
  best: readonly number[],
): { readonly mean: number; readonly standardError: number } {
  const clusters = new Map<string, { difference: number; weight: number }>();
  for (const [i, row] of rows.entries()) {
    const sums = clusters.get(row.cluster) ?? { difference: 0, weight: 0 };
    sums.difference += (losses[i] ?? 0) - (best[i] ?? 0);
    sums.weight += row.weight;
    clusters.set(row.cluster, sums);
  }
  const sums = [...clusters.values()];
  const weight = sums.reduce((total, c) => total + c.weight, 0);
  const mean = sums.reduce((total, c) => total + c.difference, 0) / weight;
  const squares = sums.reduce((total, c) => total + (c.difference - mean * c.weight) ** 2, 0);
  return { mean, standardError: Math.sqrt((sums.length / (sums.length - 1)) * squares) / weight };
}

/**
 * Chooses identity, temperature or Platt scaling by cross-fitted log-loss, folds disjoint by cluster. Among the families
 * within one standard error of the best, paired by cluster, the one with the fewest parameters wins; identity wins when
 * nothing beats it, and when there are fewer clusters than folds. The winner is refitted on all rows.
 *
 * @param rows  requests whose scores the verifier did not learn from; their order does not matter to the choice
 */
export function chooseCalibrator(rows: readonly CalibrationRow[], options: CalibratorOptions = {}): CalibratorChoice {
  const { folds = 5, errorsForPlatt = 100 } = options;
  const errors = rows.filter((row) => !row.right).length;
  const evidence = { fittedRequests: rows.length, fittedErrors: errors };
  const warnings: string[] = [];
  const identity = { family: "identity", slope: 1, intercept: 0, ...evidence } as const;

  const clusters = new Set(rows.map((row) => row.cluster)).size;
  if (clusters < folds) {
    warnings.push(
      `The scores are used as they are: a calibrator needs ${folds} workflows or groups, found ${clusters}.`,
    );
    return { calibrator: identity, losses: [], warnings };
  }
  if (errors < errorsForPlatt) {
    warnings.push(
      `${errors} wrong first candidates to fit a calibrator on: only identity and temperature were considered.`,
    );
  }

  const foldOf = foldOfCluster(rows, folds);
  const candidates = families
    .filter(({ family }) => family !== "platt" || errors >= errorsForPlatt)
    .flatMap((family) => {
      const losses = crossFittedLosses(family, rows, foldOf);
      const fit = family.fit(rows);
      if (losses === null || !fit.fitted || !isUsable(fit)) return [];
      return [{ family: family.family, fit, losses, mean: losses.reduce((a, b) => a + b, 0) / rows.length }];
    });
  const best = candidates.reduce((a, b) => (b.mean < a.mean ? b : a));
  const chosen = candidates.find((candidate) => {
    const { mean, standardError } = pairedDifference(rows, candidate.losses, best.losses);
    return mean <= standardError;
  });
  const { family, fit } = chosen ?? best;
  return {
    calibrator: { family, slope: fit.slope, intercept: fit.intercept, ...evidence },
    losses: candidates.map(({ family: name, mean }) => ({ family: name, loss: mean })),
    warnings,
  };
}
