import { counted } from "../src/documents/number-text.js";
import type {
  Calibrator,
  CalibratorCandidate,
  CalibratorCurve,
  CalibratorFamily,
} from "../src/documents/calibrator.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { noFeatures } from "../src/router/policy/request-features.js";
import { curveAt, identityCurve } from "../src/router/policy/calibrator-curve.js";
import { calibratorFamilies, type Family, fitFamily } from "./calibrator-families.js";
import { type CalibrationRow, thinned } from "./calibrators/calibration-row.js";

export interface CalibratorOptions {
  /** The family to fit, if fixed in advance. Default: chosen by held-out loss. */
  readonly family?: CalibratorFamily | undefined;
  /** Number of cross-fitting folds. Default 5. */
  readonly folds?: number;
  /**
   * Minimum number of wrong top candidates for considering families other than identity. Default 100, a rule of thumb.
   */
  readonly errorsForMore?: number;
}

export interface CalibratorChoice {
  readonly calibrator: Calibrator;
  /** Every family by ascending number of parameters, with its held-out loss or the reason why it was rejected. */
  readonly candidates: readonly CalibratorCandidate[];
  readonly warnings: readonly string[];
}

/** Minimum distance of a probability from 0 and 1 when losses are compared. */
const smallestProbability = 1e-15;

/** Negative log-likelihood, in nats, of one row under a curve. */
function lossOf(curve: CalibratorCurve, row: CalibrationRow): number {
  const p = curveAt(curve, row.logit, row.features ?? noFeatures);
  return -Math.log(Math.max(smallestProbability, row.right ? p : 1 - p));
}

/** Fold of each cluster. Clusters are assigned round-robin by decreasing size, then by name. */
export function foldOfCluster(
  rows: readonly Pick<CalibrationRow, "cluster">[],
  folds: number,
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { cluster } of rows) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  const ordered = [...sizes].toSorted(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1));
  return new Map(ordered.map(([cluster], index) => [cluster, index % folds]));
}

/** Held-out loss of each row, times its weight. */
type HeldOut =
  | { readonly family: Family; readonly losses: Float64Array; readonly mean: number; readonly refused: null }
  | { readonly family: Family; readonly refused: string };

/** One held-out fold: curves fitted on the other folds are evaluated on it. */
interface Trial {
  readonly training: readonly CalibrationRow[];
  /** Indices of the held-out rows. */
  readonly heldOut: readonly number[];
}

function trialsOf(rows: readonly CalibrationRow[], folds: number): readonly Trial[] {
  const foldOf = foldOfCluster(rows, folds);
  const foldOfRow = Uint8Array.from(rows, (row) => foldOf.get(row.cluster) ?? 0);
  return Array.from({ length: folds }, (_, fold) => {
    const training = rows.filter((_row, i) => foldOfRow[i] !== fold);
    const heldOut = [...foldOfRow.keys()].filter((i) => foldOfRow[i] === fold);
    return { training, heldOut };
  });
}

function heldOutLosses(family: Family, rows: readonly CalibrationRow[], trials: readonly Trial[]): HeldOut {
  const losses = new Float64Array(rows.length);
  for (const { training, heldOut } of trials) {
    const fit = fitFamily(family, training);
    if (!fit.fitted) return { family, refused: fit.reason };
    for (const i of heldOut) {
      const row = rows[i];
      losses[i] = row.weight * lossOf(fit.curve, row);
    }
  }
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  return { family, losses, mean: losses.reduce((a, b) => a + b, 0) / total, refused: null };
}

/** Standard error of the mean difference of two losses, paired by cluster. */
function pairedStandardError(rows: readonly CalibrationRow[], losses: Float64Array, best: Float64Array): number {
  const clusters = new Map<string, { difference: number; weight: number }>();
  for (const [i, row] of rows.entries()) {
    const sums = clusters.get(row.cluster) ?? { difference: 0, weight: 0 };
    sums.difference += losses[i] - best[i];
    sums.weight += row.weight;
    clusters.set(row.cluster, sums);
  }
  const sums = [...clusters.values()];
  const weight = sums.reduce((total, c) => total + c.weight, 0);
  const mean = sums.reduce((total, c) => total + c.difference, 0) / weight;
  const squares = sums.reduce((total, c) => total + (c.difference - mean * c.weight) ** 2, 0);
  return Math.sqrt((sums.length / (sums.length - 1)) * squares) / weight;
}

interface Contender {
  readonly family: Family;
  readonly mean: number;
  readonly standardError: number;
}

const refusedCandidate = (family: Family, refused: string): CalibratorCandidate => ({
  family: family.family,
  held_out_loss: null,
  standard_error: null,
  refused,
});

const considered = calibratorFamilies.filter(({ onRequest }) => onRequest !== true);

/** Cross-fits every family, by ascending number of parameters. */
function contend(rows: readonly CalibrationRow[], folds: number, allowed: (family: Family) => boolean) {
  const trials = trialsOf(rows, folds);
  const outcomes = considered.map((family): HeldOut => {
    if (!allowed(family)) return { family, refused: "too few wrong first candidates" };
    return heldOutLosses(family, rows, trials);
  });
  const scored = outcomes.filter((outcome) => outcome.refused === null);
  const best = scored.reduce((a, b) => (b.mean < a.mean ? b : a));
  const contenders: Contender[] = [];
  const candidates = outcomes.map((outcome): CalibratorCandidate => {
    if (outcome.refused !== null) return refusedCandidate(outcome.family, outcome.refused);
    const { family, losses, mean } = outcome;
    const standardError = pairedStandardError(rows, losses, best.losses);
    contenders.push({ family, mean, standardError });
    return { family: family.family, held_out_loss: mean, standard_error: standardError, refused: null };
  });
  return { candidates, contenders, bestMean: best.mean };
}

/** Maximum number of requests for comparing families; more requests take longer but do not change the choice. */
const mostCompared = 5_000;

function asCalibrator(curve: CalibratorCurve, rows: readonly CalibrationRow[]): Calibrator {
  const fittedOn = { fitted_requests: rows.length, fitted_errors: rows.filter((row) => !row.right).length };
  if ("slope" in curve) return { ...curve, family: curve.family ?? "platt", ...fittedOn };
  return { ...curve, ...fittedOn };
}

/**
 * Fits one family without comparing it.
 * @throws {SluiceError} FIT_FAILED  with the family's reason
 */
export function curveOfFamily(name: CalibratorCurve["family"], rows: readonly CalibrationRow[]): CalibratorCurve {
  const family = calibratorFamilies.find((one) => one.family === name);
  const fit = family === undefined ? undefined : fitFamily(family, rows);
  if (fit?.fitted === true) return fit.curve;
  const reason = fit?.reason ?? "there is no such family";
  throw new SluiceError(
    "FIT_FAILED",
    `the calibrator ${name} cannot be fitted on ${counted(rows.length, "request")}: ${reason}`,
    {
      hint: say`Let the best calibrator be chosen: ${command`sluice calibrate fit`}; or score more requests from more workflows.`,
    },
  );
}

/**
 * Chooses a calibrator by cross-fitted log-loss, with folds disjoint by cluster. Among the families within one standard
 * error of the best (paired by cluster), the one with the fewest parameters wins, unless it loses to identity. Identity
 * wins if nothing beats it or if there are fewer clusters than folds. If there are more than 5,000 rows, every k-th is
 * compared; the winner is fitted on all of them.
 *
 * @param rows  requests that the verifier was not trained on; their order does not affect the choice
 * @throws {SluiceError} FIT_FAILED  a given family cannot be fitted on these rows
 */
export function chooseCalibrator(rows: readonly CalibrationRow[], options: CalibratorOptions = {}): CalibratorChoice {
  const { family, folds = 5, errorsForMore = 100 } = options;
  if (family !== undefined) {
    return { calibrator: asCalibrator(curveOfFamily(family, rows), rows), candidates: [], warnings: [] };
  }
  const clusters = new Set(rows.map((row) => row.cluster)).size;
  if (clusters < folds) {
    const warning = `The scores are used without calibration: a calibrator requires ${counted(folds, "workflow")} or groups, found ${clusters}.`;
    const candidates = considered.map((family) => refusedCandidate(family, "too few workflows or groups"));
    return { calibrator: asCalibrator(identityCurve, rows), candidates, warnings: [warning] };
  }

  const errors = rows.filter((row) => !row.right).length;
  const compared = thinned(rows, mostCompared);
  const { candidates, contenders, bestMean } = contend(
    compared,
    folds,
    ({ simple }) => simple || errors >= errorsForMore,
  );
  const identityMean =
    candidates.find(({ family }) => family === "identity")?.held_out_loss ?? Number.POSITIVE_INFINITY;
  const few = `With ${errors} wrong first candidates, no calibrator was considered.`;
  const eligible = contenders.filter(
    ({ mean, standardError }) => mean - bestMean <= standardError && mean <= identityMean,
  );
  return {
    calibrator: asCalibrator(firstFitted(eligible, rows), rows),
    candidates,
    warnings: errors < errorsForMore ? [few] : [],
  };
}

/** The first family that can be fitted on all rows, otherwise identity. */
function firstFitted(contenders: readonly Contender[], rows: readonly CalibrationRow[]): CalibratorCurve {
  for (const { family } of contenders) {
    const fit = fitFamily(family, rows);
    if (fit.fitted) return fit.curve;
  }
  return identityCurve;
}
