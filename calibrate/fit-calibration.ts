import type { Calibration, CalibrationWire, CertificationMethod, FitOptions } from "../src/domain/calibration.js";
import type { WorkflowId } from "../src/domain/primitives.js";
import { toSnake } from "../src/domain/camel.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import type { Fold } from "../src/domain/choices.js";
import { backgroundOf, withBackground } from "./background-rows.js";
import { calibrationRows } from "./calibrators/calibration-row.js";
import { type Certification, certifyClaims, refuseRisingRisk, type TestedRequests } from "./certify-claims.js";
import { countedRecords } from "./counted-records.js";
import { type CalibratorChoice, chooseCalibrator } from "./choose-calibrator.js";
import { chooseRungs } from "./choose-rungs.js";
import { claimDocument, tierDocument } from "./claim-document.js";
import type { FoldRequests } from "./claims/weighted-mix.js";
import { learnClarifyThreshold } from "./clarify-threshold.js";
import { crossFitCalibrators, crossFittedLists, crossFittedRows, type CrossFittedCalibrators } from "./cross-fit.js";
import { assertFitInput, type FitCalibrationInput } from "./fit-input.js";
import { defaultCrossFit, fitOptionsOf } from "./fit-options.js";
import { fitWarnings } from "./fit-warnings.js";
import { foldRequests } from "./fold-requests.js";
import { counted, formatCount, formatFixedPercent } from "../src/domain/number-text.js";
import { operatingCost, savingOf } from "./operating-cost.js";
import { perTier } from "./per-tier.js";
import { learnRetrievalFloor } from "./retrieval-floor.js";
import { riskRises, risingRisk } from "./rising-risk.js";
import { type RoutableRow, routableRows } from "./routable.js";
import { defaultLooserShare, defaultLooserTargets, defaultStartErrors, defaultStartIcc } from "./rule.js";
import { certifyShortlist, type EnteredRows, entryOf, listableRows } from "./shortlist.js";
import { trafficOf } from "./traffic.js";

function outOfScopeShareOf(records: readonly ScoredRecord[]): number {
  return records.length === 0 ? 0 : records.filter((r) => r.workflowId === null).length / records.length;
}

function certificationOf(input: FitCalibrationInput): Certification {
  return {
    claim: input.claim ?? "new-workflows",
    target: input.target,
    requiredTiers: input.requiredTiers ?? {},
    delta: levelOf(input),
    attempt: input.attempt ?? null,
    startErrors: input.startErrors ?? defaultStartErrors,
    startIcc: input.startIcc ?? defaultStartIcc,
    looser: {
      targets: looserThan(input.target, input.looserTargets ?? defaultLooserTargets),
      share: input.looserShare ?? defaultLooserShare,
    },
    leftOut: input.leftOut ?? false,
    declaredShare: input.outOfScopeShare ?? null,
  };
}

/** Level of all claims of a calibration: all of delta, or what its attempt may spend of it. */
function levelOf({ delta, attempt }: Pick<FitCalibrationInput, "delta" | "attempt">): number {
  return attempt === undefined ? delta : (6 * delta) / (Math.PI * attempt) ** 2;
}

/** Falling, without repeats. */
const looserThan = (planned: number, targets: readonly number[]): readonly number[] =>
  [...new Set(targets)].filter((target) => target > planned).sort((a, b) => b - a);

function methodOf({ claim, declaredShare }: Certification): CertificationMethod {
  if (claim === "expected-joint-risk") return "conformal-risk-control-per-workflow";
  if (claim === "fixed-catalog") return `fixed-sequence-${declaredShare === null ? "exact-binomial" : "exact-mix"}`;
  return declaredShare === null ? "fixed-sequence-n-eff-floor" : "fixed-sequence-weighted-mix";
}

/** Workflows with evidence, ascending; null where the claim is about new workflows. */
function workflowsOf(records: readonly ScoredRecord[], { claim }: Certification): readonly WorkflowId[] | null {
  if (claim !== "fixed-catalog") return null;
  const labelled = new Set(records.flatMap(({ workflowId }) => (workflowId === null ? [] : [workflowId])));
  return [...labelled].sort((a, b) => (a < b ? -1 : 1));
}

/** The fitted calibrator, and the tested requests under it. */
interface Learned extends CalibratorChoice {
  readonly minRetrievalScore: number;
  readonly certifiedWorkflows: readonly WorkflowId[] | null;
  readonly crossFit: Calibration["crossFit"];
  readonly rows: readonly RoutableRow[];
  /** Background rows that the calibrator learned from. */
  readonly backgroundRows: number;
  /** Records whose labels set the clarify threshold. */
  readonly tuned: readonly ScoredRecord[];
  /** Records of the tests. */
  readonly tested: readonly ScoredRecord[];
  /** What the tests of shortlists count, and the entry that ships. */
  readonly listable: { readonly parts: readonly EnteredRows[]; readonly entry: number };
}

/** Everything of a fit that does not depend on the claim. */
interface CrossFitted {
  readonly parts: number;
  readonly backgroundRows: number;
  readonly records: readonly ScoredRecord[];
  readonly calibrators: CrossFittedCalibrators;
}

/** Fits on TUNE, tests on CERTIFY. */
interface FittedOnTune {
  readonly parts: 1;
  readonly backgroundRows: number;
  readonly choice: CalibratorChoice;
  readonly tuned: readonly ScoredRecord[];
  readonly tested: readonly ScoredRecord[];
}

export type LearnedCalibrators = CrossFitted | FittedOnTune;

/**
 * The calibrators of a fit. They do not depend on the claim, so that fits about several populations may share them.
 * @throws {SluiceError} FIT_FAILED  when the given calibrator cannot be fitted
 */
export function learnCalibrators(
  input: Pick<FitCalibrationInput, "records" | "calibrator" | "outOfScopeShare" | "crossFit" | "background">,
): LearnedCalibrators {
  const { calibrator: family, outOfScopeShare, crossFit: parts = defaultCrossFit } = input;
  const fold = foldsById(input.records);
  if (parts === 1) {
    const [tuned, tested] = [fold("tune"), fold("certify")];
    const background = backgroundOf(input, tuned);
    const choice = chooseCalibrator(calibrationRows(tuned, { outOfScopeShare, background }), { family });
    return { parts, backgroundRows: background.length, choice, tuned, tested };
  }
  const records = [...fold("tune"), ...fold("certify")];
  const background = backgroundOf(input, records);
  const calibrators = crossFitCalibrators(records, { parts, outOfScopeShare, background, family });
  return { parts, backgroundRows: background.length, records, calibrators };
}

/** The fit, as the tests of one claim need it. */
function underClaim(learned: LearnedCalibrators, certification: Certification): Learned {
  const { parts, backgroundRows } = learned;
  if ("choice" in learned) {
    const { choice, tuned, tested } = learned;
    const minRetrievalScore = learnRetrievalFloor(tuned, choice.calibrator);
    const certifiedWorkflows = workflowsOf(tested, certification);
    const gates = { calibrator: choice.calibrator, minRetrievalScore, certifiedWorkflows };
    const counted = countedRecords(tested, certification.claim);
    const rows = routableRows(counted, gates);
    const entry = entryOf(tuned, gates, certification.delta);
    const listable = { parts: [{ rows: listableRows(counted, gates), entry }], entry };
    return { ...choice, ...gates, crossFit: null, rows, backgroundRows, tuned, tested: counted, listable };
  }
  const { records, calibrators } = learned;
  const certifiedWorkflows = workflowsOf(records, certification);
  const counted = countedRecords(records, certification.claim);
  const rows = crossFittedRows(calibrators, certifiedWorkflows, counted);
  const { by, calibrator, candidates, warnings, minRetrievalScore } = calibrators;
  const choice = { calibrator, candidates, warnings, minRetrievalScore, certifiedWorkflows, rows };
  const listable = crossFittedLists(calibrators, certifiedWorkflows, counted, certification.delta);
  return { ...choice, crossFit: { parts, by }, backgroundRows, tuned: records, tested: counted, listable };
}

/** Usable records of a fold, by id, so that their order changes nothing. */
function foldsById(records: readonly ScoredRecord[]): (name: Fold) => readonly ScoredRecord[] {
  const usable = records.filter((record) => record.errorCode === null);
  return (name) => usable.filter((record) => record.fold === name).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function populationText({ tested, crossFit: parts }: Learned, requests: FoldRequests): string {
  const folds = parts === null ? "the CERTIFY fold" : "the folds TUNE and CERTIFY";
  return (
    `Requests like the ${formatCount(tested.length)} of ${folds}: ${counted(requests.inScope.size, "workflow")}, ` +
    `${formatCount(requests.outOfScope.size)} out-of-scope groups, ${formatFixedPercent(outOfScopeShareOf(tested))} out of scope.`
  );
}

/** The options that a fit will state, known before it is made. */
export function plannedOptions(input: FitCalibrationInput): FitOptions {
  const options = fitOptionsOf(input, certificationOf(input));
  return withBackground(options, input, backgroundRowsOf(input));
}

/** How many background rows a fit uses. */
function backgroundRowsOf(input: FitCalibrationInput): number {
  const fold = foldsById(input.records);
  const learned = (input.crossFit ?? defaultCrossFit) === 1 ? fold("tune") : [...fold("tune"), ...fold("certify")];
  return backgroundOf(input, learned).length;
}

/** Tests the claims and chooses the thresholds that ship. */
function certify(
  input: FitCalibrationInput,
  certification: Certification,
  { requests, rising }: { readonly requests: TestedRequests; readonly rising: Calibration["risingRisk"] },
) {
  const tested = certifyClaims(certification, requests);
  const claims = riskRises(rising) ? refuseRisingRisk(tested) : tested;
  const mostRouted = chooseRungs(claims, certification.claim);
  const shipped =
    input.costs === undefined ? mostRouted : chooseRungs(claims, certification.claim, savingOf(input.costs));
  return { mostRouted, shipped };
}

/**
 * Fits a calibration: calibrator, retrieval floor, clarify threshold and the tests of the claims. Deterministic, and
 * independent of the order of the records. What cannot be certified abstains with a reason and a sentence that says
 * what is missing; that is a normal outcome.
 *
 * @param calibrators  those of `learnCalibrators` for the same records and options, called when the input is valid
 * @throws {SluiceError} FOLDS_OVERLAP  when two folds share a cluster and the claim is about new workflows
 * @throws {SluiceError} EXAMPLE_ERRORS  when more than 1 % of the records failed to be scored
 * @throws {SluiceError} CALIBRATION_INVALID  when an option is out of range, or options do not go together
 * @throws {SluiceError} FIT_FAILED  when the given calibrator cannot be fitted
 */
export function fitCalibration(
  input: FitCalibrationInput,
  calibrators: () => LearnedCalibrators = () => learnCalibrators(input),
): CalibrationWire {
  assertFitInput(input);
  const certification = certificationOf(input);
  const learned = underClaim(calibrators(), certification);
  const { calibrator, minRetrievalScore, certifiedWorkflows, rows, tuned, tested, listable } = learned;
  const requests = foldRequests(tested);
  const rising = certification.claim === "new-workflows" ? risingRisk(rows) : null;
  const { mostRouted, shipped } = certify(input, certification, { requests: { rows, requests }, rising });
  const tiers = perTier((tier) => tierDocument(tier, shipped, certification, { rows, requests }));
  const thresholds = { calibrator, tiers, minRetrievalScore, certifiedWorkflows };
  const clarifyThreshold = learnClarifyThreshold(tuned, thresholds);
  const outOfScopeShare = input.outOfScopeShare ?? outOfScopeShareOf(tested);
  const traffic = {
    outOfScopeShare,
    declared: input.outOfScopeShare !== undefined,
    tierMix: input.tierMix ?? null,
    delta: input.delta,
  };
  const fit = withBackground(fitOptionsOf(input, certification), input, learned.backgroundRows);
  const calibration: Calibration = {
    schemaVersion: 1,
    calibrationVersion: input.version,
    ...thresholds,
    calibratorCandidates: learned.candidates,
    clarifyThreshold,
    jointDelta: certification.claim === "expected-joint-risk" ? null : input.delta,
    claims: shipped.map((choice) => claimDocument(choice, certification, requests.inScope.size)),
    ...(certification.claim === "expected-joint-risk"
      ? {}
      : { shortlist: certifyShortlist(listable.parts, listable.entry, certification) }),
    method: methodOf(certification),
    risingRisk: rising,
    crossFit: learned.crossFit,
    population: populationText(learned, requests),
    outOfScopeShare,
    traffic: trafficOf(tested, { ...thresholds, clarifyThreshold }, traffic),
    operatingCost:
      input.costs === undefined ? null : operatingCost(input.costs, { mostRouted, shipped }, tested.length),
    digests: input.digests,
    fit,
    warnings: [...learned.warnings, ...fitWarnings(input, tested)],
  };
  return toSnake<CalibrationWire>(calibration);
}
