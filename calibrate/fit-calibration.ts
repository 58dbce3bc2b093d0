import type { Calibration, CalibrationWire, TierCalibration } from "../src/domain/calibration.js";
import { toSnake } from "../src/domain/camel.js";
import type { RiskTier } from "../src/domain/catalog.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import type { Fold } from "../src/domain/split.js";
import { calibrationRows } from "./calibrators/calibration-row.js";
import { certifyTier, type TierCertificate } from "./certify-tier.js";
import { type CalibratorChoice, chooseCalibrator } from "./choose-calibrator.js";
import { notCertifiedClaim, tierClaim } from "./claim-text.js";
import { learnClarifyThreshold } from "./clarify-threshold.js";
import { assertFitInput, type FitCalibrationInput } from "./fit-input.js";
import { fitWarnings } from "./fit-warnings.js";
import { defaultStartErrors } from "./fixed-sequence.js";
import { monotoneTiers, type TierChoice } from "./monotone-tiers.js";
import { count, percent } from "./number-text.js";
import { perTier } from "./per-tier.js";
import { learnRetrievalFloor } from "./retrieval-floor.js";
import { type RoutableRow, routableRows } from "./routable.js";
import { tierMessage } from "./tier-message.js";

const ofTier = (rows: readonly RoutableRow[], tier: RiskTier) => rows.filter((row) => row.tier === tier);

/** Equal weights over the tiers that TUNE requests reach: a tier without any would waste its share of delta. */
function defaultWeights(tune: readonly RoutableRow[]): Readonly<Record<RiskTier, number>> {
  const reached = new Set(tune.map((row) => row.tier));
  return perTier((tier) => (reached.has(tier) ? 1 / reached.size : 0));
}

function outOfScopeShareOf(records: readonly ScoredRecord[]): number {
  return records.length === 0 ? 0 : records.filter((r) => r.workflowId === null).length / records.length;
}

function populationText(certify: readonly ScoredRecord[], share: number): string {
  const workflows = new Set(certify.filter((r) => r.workflowId !== null).map((r) => r.cluster)).size;
  const groups = new Set(certify.filter((r) => r.workflowId === null).map((r) => r.cluster)).size;
  return (
    `Requests like the ${count(certify.length)} of the CERTIFY fold: ${count(workflows)} workflows, ` +
    `${count(groups)} out-of-scope groups, ${percent(share)} out of scope.`
  );
}

interface TierContext {
  readonly startErrors: readonly number[];
  readonly outOfScopeShare: number;
}

function tierDocument(
  tier: RiskTier,
  certificate: TierCertificate,
  choice: TierChoice,
  context: TierContext,
): TierCalibration {
  const { test, requests, sequence, icc } = certificate;
  const claim =
    choice.reason === null
      ? tierClaim(tier, test, choice.point, { icc, outOfScopeShare: context.outOfScopeShare })
      : notCertifiedClaim(tier, choice.reason);
  const { routed, errors, workflows } = evidenceShown(certificate, choice);
  return {
    confidence: choice.point?.confidence ?? null,
    margin: choice.point?.margin ?? null,
    abstainReason: choice.reason,
    message: tierMessage(tier, certificate, choice, context.startErrors),
    targetRisk: test.target,
    delta: test.delta,
    claim,
    certifyRequests: requests,
    routed,
    errors,
    workflows,
    upperBound: choice.point?.upperBound ?? null,
    trace: sequence.trace,
  };
}

/** Counts at the chosen point; without one, at the first point tested, else at the last one counted. */
function evidenceShown({ sequence, evidence }: TierCertificate, { point }: TierChoice) {
  return point ?? sequence.trace[0] ?? evidence.at(-1) ?? { routed: 0, errors: 0, workflows: 0 };
}

/** What TUNE alone decides, and the rows of both folds under it. */
function learnOnTune(input: FitCalibrationInput, usable: readonly ScoredRecord[]) {
  const fold = (name: Fold) => usable.filter((record) => record.fold === name);
  const choice: CalibratorChoice = chooseCalibrator(
    calibrationRows(fold(input.calibratorFold ?? "tune"), input.outOfScopeShare),
  );
  const minRetrievalScore = learnRetrievalFloor(fold("tune"), choice.calibrator);
  return {
    ...choice,
    minRetrievalScore,
    tune: routableRows(fold("tune"), choice.calibrator, minRetrievalScore),
    certify: routableRows(fold("certify"), choice.calibrator, minRetrievalScore),
  };
}

/**
 * Fits a calibration: calibrator, retrieval floor, clarify threshold and the order of the tests on TUNE, then one test
 * series per tier on CERTIFY. Deterministic, and independent of the order of the records. A tier that cannot be
 * certified abstains with a reason and a message that says what would be enough; that is a normal outcome.
 *
 * @throws {SluiceError} FOLDS_OVERLAP  when two folds share a cluster
 * @throws {SluiceError} EXAMPLE_ERRORS  when more than 1 % of the records failed to be scored
 * @throws {SluiceError} CALIBRATION_INVALID  when targets, delta, weights or the share are out of range
 */
export function fitCalibration(input: FitCalibrationInput): CalibrationWire {
  assertFitInput(input);
  const usable = input.records.filter((record) => record.errorCode === null).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const { calibrator, warnings, minRetrievalScore, tune, certify } = learnOnTune(input, usable);
  const weights = input.tierWeights ?? defaultWeights(tune);
  const startErrors = input.startErrors ?? defaultStartErrors;
  const certificates = perTier((tier) =>
    certifyTier(
      { tune: { tier: ofTier(tune, tier), all: tune }, certify: { tier: ofTier(certify, tier), all: certify } },
      { target: input.targets[tier], delta: input.delta * weights[tier] },
      startErrors,
    ),
  );
  const choices = monotoneTiers(certificates);
  const certifyRecords = usable.filter((record) => record.fold === "certify");
  const measuredShare = outOfScopeShareOf(certifyRecords);
  const context = { startErrors, outOfScopeShare: measuredShare };
  const tiers = perTier((tier) => tierDocument(tier, certificates[tier], choices[tier], context));

  const calibration: Calibration = {
    schemaVersion: 1,
    calibrationVersion: input.version,
    calibrator,
    tiers,
    clarifyThreshold: learnClarifyThreshold(
      usable.filter((record) => record.fold === "tune"),
      { calibrator, tiers, minRetrievalScore },
    ),
    minRetrievalScore,
    jointDelta: input.delta,
    method: "fixed-sequence-exact-binomial-n-eff",
    population: populationText(certifyRecords, measuredShare),
    outOfScopeShare: input.outOfScopeShare ?? measuredShare,
    digests: input.digests,
    warnings: [...warnings, ...fitWarnings(input, certifyRecords, measuredShare)],
  };
  return toSnake<CalibrationWire>(calibration);
}
