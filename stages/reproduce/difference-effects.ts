import { outcomeOf } from "../../eval/metrics/record-outcome.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";

/** Confidence and margin of one tier on both sides; null: the tier abstains. */
export interface TierThresholds {
  readonly tier: RiskTier;
  readonly signed: { readonly confidence: number | null; readonly margin: number | null };
  readonly derived: { readonly confidence: number | null; readonly margin: number | null };
}

/** Decisions of the certification records under both calibrations. */
export interface DecidedRecords {
  /** Number of scored records of TUNE and CERTIFY. */
  readonly records: number;
  /** Ids of the records with a different decision, workflow or reason, ascending. */
  readonly changed: readonly string[];
}

const thresholdsOf = ({ tiers }: Calibration, tier: RiskTier) => {
  const { confidence, margin } = tiers[tier];
  return { confidence, margin };
};

/** The thresholds of every tier on both sides, equal or not. */
export const tierThresholds = (signed: Calibration, derived: Calibration): readonly TierThresholds[] =>
  riskTiers.map((tier) => ({ tier, signed: thresholdsOf(signed, tier), derived: thresholdsOf(derived, tier) }));

/** Compares the decisions of the two calibrations on the certification records. */
export function decidedRecords(
  signed: { readonly calibration: Calibration; readonly records: readonly ScoredRecord[] },
  derived: { readonly calibration: Calibration; readonly records: readonly ScoredRecord[] },
): DecidedRecords {
  const [before, after] = [decisionsOf(signed), decisionsOf(derived)];
  const ids = new Set([...before.keys(), ...after.keys()]);
  return { records: ids.size, changed: [...ids].filter((id) => before.get(id) !== after.get(id)).sort() };
}

function decisionsOf(side: {
  readonly calibration: Calibration;
  readonly records: readonly ScoredRecord[];
}): ReadonlyMap<string, string> {
  const tested = side.records.filter(
    ({ fold, error_code: errorCode }) => errorCode === null && (fold === "tune" || fold === "certify"),
  );
  return new Map(
    tested.map((record) => {
      const { decision } = outcomeOf(record, side.calibration);
      return [record.id, [decision?.decision, decision?.workflow_id, decision?.reason_code].join(" ")];
    }),
  );
}
