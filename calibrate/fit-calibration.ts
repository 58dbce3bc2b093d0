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
import { crossFitCalibrators, crossFittedLists, crossFittedRows, type CrossFittedCalibrators } from "./cross-fit.js";
import { assertFitInput, type FitCalibrationInput } from "./fit-input.js";
import { defaultCrossFit, fitOptionsOf } from "./fit-options.js";
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
import { type DecisionThresholds, decide } from "../src/policy/decide.js";
import { clopperPearsonLower } from "../src/stats/clopper-pearson.js";

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

/** Below this number of groups the out-of-scope part of a claim rests on too few draws. A rule of thumb. */
const fewGroups = 20;

/** Limitations of the certification data for readers of the claims; empty when there are none. */
function fitWarnings(
  input: Pick<FitCalibrationInput, "records" | "outOfScopeShare">,
  tested: readonly ScoredRecord[],
): readonly string[] {
  const warnings: string[] = [];
  const failed = input.records.filter((record) => record.errorCode !== null).length;
  if (failed > 0)
    warnings.push(`${counted(failed, "request failed and is", "requests failed and are")} excluded from every count.`);

  const outOfScope = tested.filter((record) => record.workflowId === null);
  const ungrouped = outOfScope.filter((record) => record.cluster.startsWith("row:")).length;
  const groups = new Set(outOfScope.map((record) => record.cluster)).size;
  if (outOfScope.length === 0) {
    warnings.push("The tested requests have none out of scope: the claims hold only where every request is in scope.");
  } else if (groups < fewGroups) {
    warnings.push(
      `The tested requests have ${groups} out-of-scope groups: how many of them are routed is known only roughly.`,
    );
  }
  if (ungrouped > 0) {
    warnings.push(
      `${formatCount(ungrouped)} out-of-scope requests have no group_id; each is counted as its own group. Limits may be too narrow.`,
    );
  }
  if (input.outOfScopeShare !== undefined && input.outOfScopeShare > 0 && outOfScope.length === 0) {
    warnings.push(
      `The declared out-of-scope share of ${formatFixedPercent(input.outOfScopeShare)} has no evidence: every such request counts as routed.`,
    );
  }
  return warnings;
}

interface ClarifyOptions {
  /** Lower limit that the precision must reach, in (0, 1). Default 0.6: a wrong question costs little. */
  readonly precision?: number;
  /** Confidence of the one-sided lower limit. Default 0.95. */
  readonly confidence?: number;
}

/** A question about missing inputs is right when it concerns the gold workflow, and inputs are missing where labelled. */
function isRightQuestion(record: ScoredRecord, workflowId: string | null): boolean {
  return workflowId === record.workflowId && (record.expectedMissing === null || record.expectedMissing.length > 0);
}

/**
 * Smallest confidence, in thousandths, at which the precision of CLARIFY on TUNE has a Clopper-Pearson lower limit of at
 * least the wanted precision; 1 when there is none. An estimate on TUNE, not a certified claim: a wrong question starts
 * no workflow.
 *
 * @param thresholds  final thresholds of the tiers: their margins hold for CLARIFY too
 */
export function learnClarifyThreshold(
  records: readonly ScoredRecord[],
  thresholds: Omit<DecisionThresholds, "clarifyThreshold">,
  options: ClarifyOptions = {},
): number {
  const { precision = 0.6, confidence = 0.95 } = options;
  const mayAsk = ({ candidates }: ScoredRecord): boolean => candidates.some((one) => one.missingInputs.length > 0);
  const questions = records
    .filter((record) => record.errorCode === null && record.earlyReason === null && mayAsk(record))
    .map((record) => ({ record, decision: decide(record.candidates, { ...thresholds, clarifyThreshold: 0 }) }))
    .filter(({ decision }) => decision.decision === "CLARIFY")
    .map(({ record, decision }) => ({
      threshold: Math.floor(decision.confidence * 1000 + 1e-6) / 1000,
      right: isRightQuestion(record, decision.workflowId),
    }))
    .toSorted((a, b) => b.threshold - a.threshold);

  let smallest = 1;
  let right = 0;
  for (const [index, question] of questions.entries()) {
    if (question.right) right += 1;
    if (questions[index + 1]?.threshold === question.threshold) continue;
    if (clopperPearsonLower(right, index + 1, 1 - confidence) >= precision) smallest = question.threshold;
  }
  return smallest;
}
