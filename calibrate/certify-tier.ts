import type { AbstainReason, TestStep } from "../src/domain/calibration.js";
import { defaultStartErrors, type FixedSequence, fixedSequence, type RiskTest } from "./fixed-sequence.js";
import { fullCoverageIcc } from "./intra-cluster-correlation.js";
import { type PointEvidence, pathEvidence } from "./point-evidence.js";
import type { RoutableRow } from "./routable.js";
import { learnThresholdPath } from "./threshold-path.js";

/** Routable rows of one fold: those of the tier and those of every tier. */
export interface TierFold {
  readonly tier: readonly RoutableRow[];
  readonly all: readonly RoutableRow[];
}

/** The outcome of testing one tier on its own, before the tiers are made monotone. */
export interface TierCertificate {
  readonly test: RiskTest;
  /** CERTIFY requests of the tier that some thresholds would route. */
  readonly requests: number;
  /** Correlation of errors inside a workflow: CERTIFY fold, all tiers, full coverage, in scope. */
  readonly icc: number;
  readonly evidence: readonly PointEvidence[];
  readonly sequence: FixedSequence;
  /** Last, hence largest, certified point; null with a reason. */
  readonly outcome:
    | { readonly certified: readonly TestStep[]; readonly reason: null }
    | { readonly certified: readonly []; readonly reason: Exclude<AbstainReason, "RAISED_POINT_NOT_CERTIFIED"> };
}

function outcomeOf(evidence: readonly PointEvidence[], sequence: FixedSequence): TierCertificate["outcome"] {
  if (evidence.every((point) => point.routed === 0)) return { certified: [], reason: "NO_ACCEPTED_ROWS" };
  if (sequence.start === null) return { certified: [], reason: "TOO_FEW_ROUTED" };
  if (sequence.certified.length === 0) return { certified: [], reason: "RISK_NOT_CERTIFIED" };
  return { certified: sequence.certified, reason: null };
}

/**
 * Certifies one tier: the path is learned on TUNE, the tests are made once on CERTIFY. Abstaining is a normal outcome.
 */
export function certifyTier(
  folds: { readonly tune: TierFold; readonly certify: TierFold },
  test: RiskTest,
  startErrors: readonly number[] = defaultStartErrors,
): TierCertificate {
  const { tune, certify } = folds;
  const path = learnThresholdPath(tune.tier);
  const icc = fullCoverageIcc(certify.all);
  const evidence = pathEvidence(path, { rows: tune.tier, icc: fullCoverageIcc(tune.all) }, { rows: certify.tier, icc });
  const sequence =
    path.length === 0 ? { start: null, trace: [], certified: [] } : fixedSequence(evidence, test, startErrors);
  return { test, requests: certify.tier.length, icc, evidence, sequence, outcome: outcomeOf(evidence, sequence) };
}
