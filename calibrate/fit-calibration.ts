import type { Calibration, CalibrationWire, CertificationMethod } from "../src/domain/calibration.js";
import { toSnake } from "../src/domain/camel.js";
import type { RiskTier } from "../src/domain/catalog.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import type { Fold } from "../src/domain/split.js";
import { calibrationRows } from "./calibrators/calibration-row.js";
import { type Certification, certifyTier, defaultCertification } from "./certify-tier.js";
import { chooseCalibrator } from "./choose-calibrator.js";
import { crossFit } from "./cross-fit.js";
import type { FoldRequests } from "./claims/weighted-mix.js";
import { learnClarifyThreshold } from "./clarify-threshold.js";
import { assertFitInput, type FitCalibrationInput } from "./fit-input.js";
import { fitWarnings } from "./fit-warnings.js";
import { monotoneTiers } from "./monotone-tiers.js";
import { count, percent } from "./number-text.js";
import { operatingCost, savingOf } from "./operating-cost.js";
import { perTier } from "./per-tier.js";
import { learnRetrievalFloor } from "./retrieval-floor.js";
import { type RoutableRow, routableRows } from "./routable.js";
import { tierDocument } from "./tier-document.js";
import { trafficOf } from "./traffic.js";

const ofTier = (rows: readonly RoutableRow[], tier: RiskTier) => rows.filter((row) => row.tier === tier);

/** Equal weights over the tiers that TUNE requests reach: a tier without any would waste its share of delta. */
function defaultWeights(tune: readonly RoutableRow[]): Readonly<Record<RiskTier, number>> {
  const reached = new Set(tune.map((row) => row.tier));
  return perTier((tier) => (reached.has(tier) ? 1 / reached.size : 0));
}

function outOfScopeShareOf(records: readonly ScoredRecord[]): number {
  return records.length === 0 ? 0 : records.filter((r) => r.workflowId === null).length / records.length;
}

/** Requests of each workflow and out-of-scope group. */
function foldRequests(records: readonly ScoredRecord[]): FoldRequests {
  const [inScope, outOfScope] = [new Map<string, number>(), new Map<string, number>()];
  for (const { cluster, workflowId } of records) {
    const side = workflowId === null ? outOfScope : inScope;
    side.set(cluster, (side.get(cluster) ?? 0) + 1);
  }
  return { inScope, outOfScope };
}

function populationText(certify: readonly ScoredRecord[], requests: FoldRequests, share: number): string {
  return (
    `Requests like the ${count(certify.length)} of the CERTIFY fold: ${count(requests.inScope.size)} workflows, ` +
    `${count(requests.outOfScope.size)} out-of-scope groups, ${percent(share)} out of scope.`
  );
}

function certificationOf(input: FitCalibrationInput): Certification {
  return {
    claim: input.claim ?? defaultCertification.claim,
    procedure: input.procedure ?? defaultCertification.procedure,
    startErrors: input.startErrors ?? defaultCertification.startErrors,
    seed: input.seed ?? defaultCertification.seed,
    declaredShare: input.outOfScopeShare ?? null,
  };
}

function methodOf({ claim, procedure, declaredShare }: Certification): CertificationMethod {
  if (claim === "expected-joint-risk") return "conformal-risk-control-per-workflow";
  if (claim === "fixed-catalog") return `${procedure}-${declaredShare === null ? "exact-binomial" : "exact-mix"}`;
  if (claim === "new-workflows") return `${procedure}-betting-per-workflow`;
  return declaredShare === null ? `${procedure}-exact-binomial-n-eff` : `${procedure}-weighted-mix`;
}

/** What is learned, the rows of the tests under it, and the records that learned and tested. */
function learn(input: FitCalibrationInput, fold: (name: Fold) => readonly ScoredRecord[]) {
  if (input.crossFit === undefined) {
    return { ...learnOnTune(input, fold), tuneRecords: fold("tune"), certifyRecords: fold("certify") };
  }
  const records = [...fold("tune"), ...fold("certify")];
  return {
    ...crossFit(records, {
      parts: input.crossFit,
      outOfScopeShare: input.outOfScopeShare,
      family: input.calibrator,
    }),
    tuneRecords: records,
    certifyRecords: records,
  };
}

/** What TUNE alone decides, and the rows of both folds under it. */
function learnOnTune(input: FitCalibrationInput, fold: (name: Fold) => readonly ScoredRecord[]) {
  const rows = calibrationRows(fold(input.calibratorFold ?? "tune"), input.outOfScopeShare);
  const choice = chooseCalibrator(rows, { family: input.calibrator });
  const minRetrievalScore = learnRetrievalFloor(fold("tune"), choice.calibrator);
  return {
    ...choice,
    minRetrievalScore,
    tune: routableRows(fold("tune"), choice.calibrator, minRetrievalScore),
    certify: routableRows(fold("certify"), choice.calibrator, minRetrievalScore),
  };
}

/** Certificates of every tier, and the points that ship. */
function certifyTiers(
  input: FitCalibrationInput,
  rows: { readonly tune: readonly RoutableRow[]; readonly certify: readonly RoutableRow[] },
  requests: FoldRequests,
) {
  const weights = input.tierWeights ?? defaultWeights(rows.tune);
  const certificates = perTier((tier) =>
    certifyTier(
      {
        tune: { tier: ofTier(rows.tune, tier), all: rows.tune },
        certify: { tier: ofTier(rows.certify, tier), all: rows.certify },
        requests,
      },
      { target: input.targets[tier], delta: input.delta * weights[tier] },
      certificationOf(input),
    ),
  );
  const mostRouted = monotoneTiers(certificates);
  const shipped = input.costs === undefined ? mostRouted : monotoneTiers(certificates, savingOf(input.costs));
  return { certificates, mostRouted, shipped };
}

/** Usable records of a fold, by id, so that their order changes nothing. */
function foldsById(records: readonly ScoredRecord[]): (name: Fold) => readonly ScoredRecord[] {
  const usable = records.filter((record) => record.errorCode === null);
  const sorted = new Map<Fold, readonly ScoredRecord[]>();
  return (name) => {
    const known = sorted.get(name);
    if (known !== undefined) return known;
    const own = usable.filter((record) => record.fold === name).sort((a, b) => (a.id < b.id ? -1 : 1));
    sorted.set(name, own);
    return own;
  };
}

/**
 * Fits a calibration: calibrator, retrieval floor, clarify threshold and the order of the tests on TUNE, then one test
 * series per tier on CERTIFY. Deterministic, and independent of the order of the records. A tier that cannot be
 * certified abstains with a reason and a message that says what would be enough; that is a normal outcome.
 *
 * @throws {SluiceError} FOLDS_OVERLAP  when two folds share a cluster
 * @throws {SluiceError} EXAMPLE_ERRORS  when more than 1 % of the records failed to be scored
 * @throws {SluiceError} CALIBRATION_INVALID  when an option is out of range, or options do not go together
 * @throws {SluiceError} FIT_FAILED  when the given calibrator cannot be fitted
 */
export function fitCalibration(input: FitCalibrationInput): CalibrationWire {
  assertFitInput(input);
  const fold = foldsById(input.records);
  const { calibrator, candidates, warnings, minRetrievalScore, ...rows } = learn(input, fold);
  const { tuneRecords, certifyRecords: certify } = rows;
  const requests = foldRequests(certify);
  const { certificates, mostRouted, shipped } = certifyTiers(input, rows, requests);
  const certification = certificationOf(input);
  const measuredShare = outOfScopeShareOf(certify);
  const context = { ...certification, outOfScopeShare: measuredShare };
  const tiers = perTier((tier) => tierDocument(tier, certificates[tier], shipped[tier], context));
  const thresholds = { calibrator, tiers, minRetrievalScore };
  const clarifyThreshold = learnClarifyThreshold(tuneRecords, thresholds);
  const outOfScopeShare = input.outOfScopeShare ?? measuredShare;

  const calibration: Calibration = {
    schemaVersion: 1,
    calibrationVersion: input.version,
    ...thresholds,
    calibratorCandidates: candidates,
    clarifyThreshold,
    jointDelta: input.delta,
    claim: certification.claim,
    method: methodOf(certification),
    population: populationText(certify, requests, measuredShare),
    outOfScopeShare,
    traffic: trafficOf(
      certify,
      { ...thresholds, clarifyThreshold },
      {
        outOfScopeShare,
        declared: input.outOfScopeShare !== undefined,
        tierMix: input.tierMix ?? null,
        delta: input.delta,
      },
    ),
    operatingCost:
      input.costs === undefined ? null : operatingCost(input.costs, { mostRouted, shipped }, certify.length),
    digests: input.digests,
    warnings: [...warnings, ...fitWarnings(input, certify)],
  };
  return toSnake<CalibrationWire>(calibration);
}
