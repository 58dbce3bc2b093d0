import type { CalibrationWire } from "../../src/domain/calibration.js";
import { toCamel } from "../../src/domain/camel.js";
import { type RiskTier, riskTiers } from "../../src/domain/catalog.js";
import { riskCoverageCurve } from "../../src/stats/risk-coverage.js";
import { scoreTable } from "../../src/stats/score-table.js";
import { seededRandom } from "../../src/stats/seeded-random.js";
import { fitCalibration } from "../fit-calibration.js";
import type { FitCalibrationInput } from "../fit-input.js";
import { routableRows } from "../routable.js";
import { drawFolds, type Population } from "./population.js";
import { trueOutcome } from "./true-risk.js";

/** Options of the calibration that is repeated. */
export type SimulationChoices = Omit<FitCalibrationInput, "records" | "digests" | "version">;

/** One repetition: what was certified on new folds, and what it is worth on the whole population. */
export interface Repetition {
  /** `seed x factor`. */
  readonly id: string;
  readonly seed: number;
  /** Size of the folds in multiples of the present ones. */
  readonly factor: number;
  /** Whether the risk of some certified tier is above its target. */
  readonly broken: boolean;
  /** Certified tiers, and those of them whose risk is above the target. */
  readonly certified: readonly RiskTier[];
  readonly brokenTiers: readonly RiskTier[];
  /** Routed share of the population, in [0, 1]. */
  readonly coverage: number;
  /** Share that confidence thresholds could route if the risk were known exactly. */
  readonly bestCoverage: number;
}

export const repetitionId = (seed: number, factor: number): string => `${seed} x ${factor}`;

const noDigest = "0".repeat(64);
const digests = { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest };

/** Largest share of the population that confidence alone could route within the targets, each tier for itself. */
function bestCoverage(
  population: Population,
  calibration: { readonly calibrator: Parameters<typeof routableRows>[1]; readonly minRetrievalScore: number },
  targets: Readonly<Record<RiskTier, number>>,
): number {
  const rows = routableRows(population.records, calibration.calibrator, calibration.minRetrievalScore);
  const routed = riskTiers.map((tier) => {
    const own = rows.filter((row) => row.tier === tier);
    const scores = own.map((row) => row.confidence);
    const right = own.map((row) => !row.error);
    return (
      riskCoverageCurve(scoreTable(scores, right)).findLast((point) => point.selectiveRisk <= targets[tier])
        ?.accepted ?? 0
    );
  });
  return routed.reduce((sum, accepted) => sum + accepted, 0) / Math.max(1, population.records.length);
}

/**
 * Draws new folds, fits and certifies as `fitCalibration` does, and compares every certificate with the risk on the
 * population. The same seed gives the same repetition.
 * @throws {SluiceError} CALIBRATION_INVALID
 */
export function simulateCalibration(
  population: Population,
  choices: SimulationChoices,
  { seed, factor }: Pick<Repetition, "seed" | "factor">,
): Repetition {
  const records = drawFolds(population, seededRandom(seed), factor);
  const wire = fitCalibration({ ...choices, records, digests, version: "simulation" });
  const calibration = toCamel<CalibrationWire>(wire);
  const { coverage, risk } = trueOutcome(population.records, calibration);
  const certified = riskTiers.filter((tier) => calibration.tiers[tier].confidence !== null);
  const brokenTiers = certified.filter((tier) => (risk[tier] ?? 0) > choices.targets[tier]);
  return {
    id: repetitionId(seed, factor),
    seed,
    factor,
    broken: brokenTiers.length > 0,
    certified,
    brokenTiers,
    coverage,
    bestCoverage: bestCoverage(population, calibration, choices.targets),
  };
}
