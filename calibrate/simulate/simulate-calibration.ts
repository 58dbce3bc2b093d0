import type { Calibration, CalibrationWire, Claim } from "../../src/domain/calibration.js";
import type { Sha256 } from "../../src/digest/sha256.js";
import { toCamel } from "../../src/domain/camel.js";
import { riskCoverageCurve } from "../../eval/stats/risk-coverage.js";
import { scoreTable } from "../../eval/stats/score-table.js";
import { seededRandom } from "../../src/stats/seeded-random.js";
import { fitCalibration } from "../fit-calibration.js";
import type { FitCalibrationInput } from "../fit-input.js";
import { routableRows } from "../routable.js";
import { drawFolds, type SimulatedPopulation } from "./population.js";
import { trueOutcome } from "./true-risk.js";

/** Options of the calibration that is repeated. */
export type SimulationChoices = Omit<FitCalibrationInput, "records" | "digests" | "version">;

/** One repetition: the claims certified on new folds, and their true risk on the population. */
export interface Repetition {
  /** `seed x factor`. */
  readonly id: string;
  readonly seed: number;
  /** Size of the folds in multiples of the present ones. */
  readonly factor: number;
  /** Whether a certified claim is false. */
  readonly broken: boolean;
  /** Scopes of the certified claims, and those of them whose risk is above the target. */
  readonly certified: readonly Claim["scope"][];
  readonly brokenClaims: readonly Claim["scope"][];
  /** Routed share of the population, in [0, 1]. */
  readonly coverage: number;
  /** Share that a confidence threshold could route within the overall target if the risk were known exactly. */
  readonly bestCoverage: number;
}

export const repetitionId = (seed: number, factor: number): string => `${seed} x ${factor}`;

const noDigest = "0".repeat(64) as Sha256;
const digests = { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest };

/** Largest share of the population that one confidence threshold could route within the target. */
function bestCoverage(population: SimulatedPopulation, calibration: Calibration, target: number): number {
  const rows = routableRows(population.records, { ...calibration, certifiedWorkflows: null });
  const scores = rows.map((row) => row.confidence);
  const right = rows.map((row) => !row.error);
  const best = riskCoverageCurve(scoreTable(scores, right)).findLast((point) => point.selectiveRisk <= target);
  return (best?.accepted ?? 0) / Math.max(1, population.records.length);
}

/**
 * Draws new folds, fits and certifies as `fitCalibration` does, and compares every certificate with the risk on the
 * population. The same seed gives the same repetition.
 * @throws {SluiceError} CALIBRATION_INVALID
 */
export function simulateCalibration(
  population: SimulatedPopulation,
  choices: SimulationChoices,
  { seed, factor }: Pick<Repetition, "seed" | "factor">,
): Repetition {
  const records = drawFolds(population, seededRandom(seed), factor);
  const calibration = toCamel<CalibrationWire>(fitCalibration({ ...choices, records, digests, version: "simulation" }));
  const { coverage, risks } = trueOutcome(population.records, calibration);
  const certified = calibration.claims.filter((claim) => claim.certified);
  const brokenClaims = certified.filter((claim) => (risks.get(claim) ?? 0) > claim.targetRisk);
  return {
    id: repetitionId(seed, factor),
    seed,
    factor,
    broken: brokenClaims.length > 0,
    certified: certified.map(({ scope }) => scope),
    brokenClaims: brokenClaims.map(({ scope }) => scope),
    coverage,
    bestCoverage: bestCoverage(population, calibration, choices.target),
  };
}
