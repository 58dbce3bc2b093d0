import {
  type Calibration,
  type CertificationMethod,
  type DrawnRoutes,
  type FitOptions,
  languageOfScope,
} from "../src/documents/calibration.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { type Fold, type RiskTier, riskTiers } from "../src/documents/choices.js";
import { backgroundOf, statedRows, withBackground } from "./background-rows.js";
import { calibrationRows } from "./calibrators/calibration-row.js";
import { certifyClaims, refuseRisingRisk, type TestedRequests } from "./certify-claims.js";
import { certifyFollowUps } from "./follow-ups.js";
import { foldRequests } from "./fold-requests.js";
import { type CalibratorChoice, chooseCalibrator } from "./choose-calibrator.js";
import type { ClaimBasis } from "./claim-sentence.js";
import { type Choice, chooseThresholdSteps, languageThresholds } from "./choose-threshold-steps.js";
import { claimDocument, tierDocument } from "./claim-document.js";
import { assertDrawn } from "./claims/drawn-routes.js";
import type { FoldRequests } from "./claims/weighted-mix.js";
import {
  crossFitCalibrators,
  crossFittedLists,
  crossFittedRows,
  type CrossFittedCalibrators,
  testingCalibrators,
} from "./cross-fit.js";
import { assertFitInput, type FitInput } from "./fit-input.js";
import { levelOf, procedureOf, withFamily } from "./procedure.js";
import { counted, formatCount, formatFixedPercent } from "../src/documents/number-text.js";
import { perTier } from "./per-tier.js";
import { type CoveredLanguages, languagesOf, requestsByLanguage, withRoutes } from "./languages.js";
import { learnRetrievalFloor } from "./retrieval-floor.js";
import { riskRises, risingRisk } from "./rising-risk.js";
import { type OpenGates, type RoutableRow, routableRows } from "./routable.js";
import { certifyShortlist, type EnteredRows, entryOf, listableRows } from "./shortlist.js";
import { severalWishesOf } from "./several-wishes.js";
import { type TestedRecord, trafficOf } from "./traffic.js";
import { type DecisionThresholds, decide } from "../src/router/policy/decide.js";
import { clopperPearsonLower } from "../src/base/numbers/clopper-pearson.js";

function methodOf({ claim, out_of_scope_share: declaredShare, drawn_routes }: FitOptions): CertificationMethod {
  if (drawn_routes !== undefined) return "sequential-drawn-routes";
  if (claim === "fixed-catalog") return "fixed-sequence-weighted-families";
  return declaredShare === null ? "fixed-sequence-n-eff-floor" : "fixed-sequence-weighted-mix";
}

/** Workflows with evidence, ascending; null if the claim is about new workflows or about all routes. */
function workflowsOf(
  records: readonly ScoredRecord[],
  { claim, drawn_routes }: FitOptions,
): readonly WorkflowId[] | null {
  if (claim !== "fixed-catalog" || drawn_routes !== undefined) return null;
  const labelled = new Set(records.flatMap(({ workflow_id: workflowId }) => (workflowId === null ? [] : [workflowId])));
  return [...labelled].sort((a, b) => (a < b ? -1 : 1));
}

/** The fitted calibrator, and the tested requests under it. */
interface Learned extends CalibratorChoice {
  readonly min_retrieval_score: number;
  readonly certified_workflows: readonly WorkflowId[] | null;
  readonly languages: CoveredLanguages | undefined;
  readonly several_wishes: Calibration["several_wishes"];
  readonly cross_fit: Calibration["cross_fit"];
  readonly rows: readonly RoutableRow[];
  /** Number of background rows that the calibrator learned from. */
  readonly backgroundRows: number;
  /** Records whose labels determine the clarify threshold. */
  readonly tuned: readonly ScoredRecord[];
  /** Tested records. */
  readonly tested: readonly ScoredRecord[];
  /** Requests that the shortlist tests count, and the entry that ships. */
  readonly listable: { readonly parts: readonly EnteredRows[]; readonly entry: number };
}

/** Result of a cross-fit before a claim is applied. */
interface CrossFitted {
  readonly parts: number;
  readonly backgroundRows: number;
  readonly records: readonly ScoredRecord[];
  readonly calibrators: CrossFittedCalibrators;
}

/** Result of fitting on TUNE and testing on CERTIFY. */
interface FittedOnTune {
  readonly parts: 1;
  readonly backgroundRows: number;
  readonly choice: CalibratorChoice;
  readonly tuned: readonly ScoredRecord[];
  readonly tested: readonly ScoredRecord[];
}

export type LearnedCalibrators = CrossFitted | FittedOnTune;

/**
 * Fits the calibrators.
 * @throws {SluiceError} FIT_FAILED  the given calibrator cannot be fitted
 */
export function learnCalibrators(input: FitInput): LearnedCalibrators {
  const fit = procedureOf(input);
  const outOfScopeShare = fit.out_of_scope_share ?? undefined;
  const parts = fit.cross_fit;
  const fold = foldsById(input.records);
  if (parts === 1) {
    const [tuned, tested] = [fold("tune"), fold("certify")];
    const background = backgroundOf(input, tuned);
    const rows = calibrationRows(tuned, { outOfScopeShare, background });
    const choice = withFamily(fit, (family) => chooseCalibrator(rows, { family }));
    return { parts, backgroundRows: background.length, choice, tuned, tested };
  }
  const records = [...fold("tune"), ...fold("certify")];
  const background = backgroundOf(input, records);
  const calibrators = withFamily(fit, (family) =>
    crossFitCalibrators(records, { parts, outOfScopeShare, background, family }),
  );
  return { parts, backgroundRows: background.length, records, calibrators };
}

/** The rule that a fit on TUNE and drawn routes will ship, without its threshold. @throws {SluiceError} as `learnCalibrators` */
export function ruleOfDraws(input: FitInput): OpenGates {
  const fit = procedureOf(input);
  const { calibrator, min_retrieval_score, several_wishes } = underClaim(learnCalibrators(input), fit);
  const languages = fit.languages === null ? undefined : { covered: fit.languages };
  return { calibrator, min_retrieval_score, certified_workflows: null, languages, several_wishes };
}

/** Derives the inputs of one claim's tests from the fitted calibrators. */
function underClaim(learned: LearnedCalibrators, fit: FitOptions): Learned {
  const { parts, backgroundRows } = learned;
  if ("choice" in learned) {
    const { choice, tuned, tested } = learned;
    const min_retrieval_score = learnRetrievalFloor(tuned, choice.calibrator);
    // Routes drawn from a log are in whatever languages it has.
    const anyLanguage = fit.drawn_routes !== undefined && fit.languages === null;
    const languages = anyLanguage ? undefined : languagesOf(tested, fit);
    const claimed = { certified_workflows: workflowsOf(tested, fit), languages };
    const several_wishes = severalWishesOf(tuned);
    const gates = { calibrator: choice.calibrator, min_retrieval_score, ...claimed, several_wishes };
    const rows = routableRows(tested, gates);
    const entry = entryOf(tuned, gates, levelOf(fit));
    const listable = { parts: [{ rows: listableRows(tested, gates), entry }], entry };
    return { ...choice, ...gates, cross_fit: null, rows, backgroundRows, tuned, tested, listable };
  }
  const { records, calibrators } = learned;
  const claimed = { certified_workflows: workflowsOf(records, fit), languages: languagesOf(records, fit) };
  const rows = crossFittedRows(calibrators, claimed);
  const { by, calibrator, candidates, warnings, minRetrievalScore: min_retrieval_score } = calibrators;
  const { severalWishes: several_wishes } = calibrators;
  const choice = { calibrator, candidates, warnings, min_retrieval_score, ...claimed, several_wishes, rows };
  const listable = crossFittedLists(calibrators, claimed, levelOf(fit));
  return { ...choice, cross_fit: { parts, by }, backgroundRows, tuned: records, tested: records, listable };
}

/** Usable records of a fold, sorted by id so that their order has no effect. */
function foldsById(records: readonly ScoredRecord[]): (name: Fold) => readonly ScoredRecord[] {
  const usable = records.filter((record) => record.error_code === null);
  return (name) => usable.filter((record) => record.fold === name).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const testedOf = ({ rows, tested, languages }: Learned): TestedRequests => ({
  rows,
  requests: foldRequests(tested),
  byLanguage: requestsByLanguage(tested, languages),
});

/** The requests that the tests of a fit count. */
export function testedRequests(input: FitInput, calibrators: () => LearnedCalibrators): TestedRequests {
  return testedOf(underClaim(calibrators(), procedureOf(input)));
}

/**
 * The requests that the tests of a fit count, with the calibrators that test them.
 * @throws {SluiceError} FIT_FAILED  the given calibrator cannot be fitted
 */
export const testedRecords = (input: FitInput): readonly TestedRecord[] => testedBy(learnCalibrators(input));

function testedBy(learned: LearnedCalibrators): readonly TestedRecord[] {
  if ("choice" in learned) {
    const { calibrator } = learned.choice;
    return learned.tested.map((record) => ({ record, calibrator }));
  }
  const calibrators = testingCalibrators(learned.calibrators);
  return learned.records.map((record, index) => ({
    record,
    calibrator: calibrators[index] ?? learned.calibrators.calibrator,
  }));
}

function populationText({ tested, cross_fit: parts }: Learned, requests: FoldRequests, fit: FitOptions): string {
  const { drawn_routes: drawn } = fit;
  if (drawn !== undefined) {
    return `Routed requests of the log: ${formatCount(tested.length)}, drawn at random and judged by ${counted(drawn.people, "person", "people")}.`;
  }
  const folds = parts === null ? "of the CERTIFY fold" : "of the folds TUNE and CERTIFY";
  return (
    `Requests like the ${formatCount(tested.length)} ${folds}: ${counted(requests.inScope.size, "workflow")}, ` +
    `${formatCount(requests.outOfScope.size)} out-of-scope groups, ${formatFixedPercent(outOfScopeShareIn(requests))} out of scope.`
  );
}

/** The options that a fit will state, without fitting. */
export function plannedOptions(input: FitInput): FitOptions {
  const fit = procedureOf(input);
  const fold = foldsById(input.records);
  const learned = fit.cross_fit === 1 ? fold("tune") : [...fold("tune"), ...fold("certify")];
  return withBackground(fit, input.background, backgroundOf(input, learned).length);
}

/** Tests the claims and chooses the thresholds that ship. */
function certify(
  fit: FitOptions,
  { requests, rising }: { readonly requests: TestedRequests; readonly rising: Calibration["rising_risk"] },
) {
  const tested = certifyClaims(fit, requests);
  return chooseThresholdSteps(riskRises(rising) ? refuseRisingRisk(tested) : tested, fit.claim);
}

/**
 * Fits a calibration: calibrator, retrieval floor, clarify threshold and the tests of the claims. Deterministic and
 * independent of record order. Tiers that cannot be certified abstain, with a reason and a sentence about what is
 * missing; that is a normal outcome.
 *
 * @param calibrators  returns the result of `learnCalibrators` for the same records and options; called only if the
 *   input is valid
 * @throws {SluiceError} SPLIT_INVALID  two folds share a cluster and the claim is about new workflows
 * @throws {SluiceError} SCORING_ERRORS  scoring failed for more than 1% of the records
 * @throws {SluiceError} CALIBRATION_INVALID  an option is out of range, or options conflict
 * @throws {SluiceError} FIT_FAILED  the given calibrator cannot be fitted
 */
export function fitCalibration(
  input: FitInput,
  calibrators: () => LearnedCalibrators = () => learnCalibrators(input),
): Calibration {
  const fit = procedureOf(input);
  assertFitInput(fit, input);
  const fitted = calibrators();
  const learned = underClaim(fitted, fit);
  const { calibrator, min_retrieval_score, certified_workflows, rows, tuned, tested, listable } = learned;
  if (fit.drawn_routes !== undefined) assertDrawn(fit.drawn_routes, rows, tested.length);
  const requests = testedOf(learned);
  const rising = fit.claim === "new-workflows" ? risingRisk(rows) : null;
  const shipped = certify(fit, { requests, rising });
  const tiers = perTier((tier) => tierDocument(tier, shipped, fit, requests));
  const { several_wishes } = learned;
  const languages = withThresholds(learned.languages, shipped);
  const several = several_wishes === undefined ? {} : { several_wishes };
  const gates = { calibrator, tiers, min_retrieval_score, certified_workflows, ...several };
  const clarify_threshold = learnClarifyThreshold(tuned, { ...gates, languages });
  const thresholds = { ...gates, clarify_threshold, languages };
  const out_of_scope_share = fit.out_of_scope_share ?? outOfScopeShareIn(requests.requests);
  return {
    schema_version: 1,
    calibration_version: input.version,
    ...gates,
    clarify_threshold,
    ...(languages === undefined ? {} : { languages: withRoutes(languages, testedBy(fitted), thresholds) }),
    calibrator_candidates: learned.candidates,
    joint_delta: fit.delta,
    claims: shipped.map((choice) =>
      claimDocument(choice, fit, basisOf(choice, { tested, requests, languages, share: fit.out_of_scope_share })),
    ),
    // Lists would need requests that are not routed, and one test would count all languages together.
    ...(fit.drawn_routes === undefined && fit.require_slices === undefined
      ? { shortlist: certifyShortlist(listable.parts, listable.entry, fit) }
      : {}),
    method: methodOf(fit),
    rising_risk: rising,
    cross_fit: learned.cross_fit,
    population: populationText(learned, requests.requests, fit),
    out_of_scope_share,
    traffic:
      fit.drawn_routes === undefined
        ? trafficOf(testedBy(fitted), thresholds, {
            outOfScopeShare: out_of_scope_share,
            declared: fit.out_of_scope_share !== null,
            delta: fit.delta,
          })
        : trafficOfLog(fit.drawn_routes, shipped, out_of_scope_share),
    digests: input.digests,
    ...followUpsOf(input.followUps, { ...gates, languages }, fit),
    fit: {
      ...withBackground(fit, input.background, learned.backgroundRows),
      ...statedFollowUps(input),
    },
    warnings: [...learned.warnings, ...(fit.drawn_routes === undefined ? fitWarnings(input, tested) : [])],
  };
}

/** The thresholds that ship in place of the open ones of the tests. */
function withThresholds(
  languages: CoveredLanguages | undefined,
  shipped: readonly Choice[],
): CoveredLanguages | undefined {
  const thresholds = languageThresholds(shipped);
  return languages === undefined || thresholds === undefined ? languages : { ...languages, thresholds };
}

/** What the sentence of a claim counts: the tested requests of its language, or all of them. */
function basisOf(
  { claim: { scope } }: Choice,
  {
    tested,
    requests: { requests: all, byLanguage },
    languages,
    share,
  }: {
    readonly tested: readonly ScoredRecord[];
    readonly requests: TestedRequests;
    readonly languages: CoveredLanguages | undefined;
    readonly share: number | null;
  },
): ClaimBasis {
  const language = languageOfScope(scope);
  const requests = byLanguage?.get(`language:${language}`) ?? all;
  return {
    workflows: requests.inScope.size,
    tiers: tiersIn(tested),
    languages: language === null ? (languages?.covered ?? []) : [language],
    outOfScopeShare: share ?? outOfScopeShareIn(requests),
    narrowed: tested.some(({ narrowed }) => narrowed === true),
  };
}

function outOfScopeShareIn({ inScope, outOfScope }: FoldRequests): number {
  const count = (side: ReadonlyMap<string, number>): number => [...side.values()].reduce((sum, one) => sum + one, 0);
  const outside = count(outOfScope);
  return outside === 0 ? 0 : outside / (outside + count(inScope));
}

function followUpsOf(
  followUps: FitInput["followUps"],
  gates: OpenGates,
  fit: FitOptions,
): Pick<Calibration, "follow_ups"> {
  return followUps === undefined
    ? {}
    : { follow_ups: certifyFollowUps(followUps.records, gates, { ...fit, attempt: followUps.attempt }) };
}

function statedFollowUps({ followUps }: FitInput): Pick<FitOptions, "follow_ups"> {
  if (followUps === undefined) return {};
  return { follow_ups: { ...statedRows(followUps, followUps.records.length), attempt: followUps.attempt } };
}

/** The traffic of a log: what its test half and the drawn routes show. Nothing is known about other traffic. */
function trafficOfLog(
  { routed_share }: DrawnRoutes,
  [choice]: readonly Choice[],
  out_of_scope_share: number,
): Calibration["traffic"] {
  const step = choice?.thresholdStep ?? null;
  const rates =
    step === null
      ? { coverage: 0, false_route_rate: null, upper_bound: null }
      : { coverage: routed_share, false_route_rate: step.errors / step.routed, upper_bound: step.upper_bound };
  return { declared: false, expected: { out_of_scope_share, ...rates }, sensitivity: [] };
}

/** With fewer groups than this, the out-of-scope part of a claim has too little evidence. A rule of thumb. */
const fewGroups = 20;

/** Limitations of the certification data that readers of the claims should know; empty if there are none. */
function fitWarnings(
  input: Pick<FitInput, "records" | "out_of_scope_share">,
  tested: readonly ScoredRecord[],
): readonly string[] {
  const warnings: string[] = [];
  const failed = input.records.filter((record) => record.error_code !== null).length;
  if (failed > 0)
    warnings.push(`${counted(failed, "request failed and is", "requests failed and are")} excluded from every count.`);

  const outOfScope = tested.filter((record) => record.workflow_id === null);
  const ungrouped = outOfScope.filter((record) => record.cluster.startsWith("row:")).length;
  const groups = new Set(outOfScope.map((record) => record.cluster)).size;
  if (outOfScope.length === 0) {
    warnings.push("No tested request is out of scope: the claims hold only where every request is in scope.");
  } else if (groups < fewGroups) {
    warnings.push(
      `The tested requests have only ${groups} out-of-scope groups, so the share of such requests that is routed is known only roughly.`,
    );
  }
  if (ungrouped > 0) {
    warnings.push(
      `${formatCount(ungrouped)} out-of-scope requests have no group_id, so each counts as its own group. If several come from one person or template, the promise is too optimistic: give those one group_id in requests.jsonl.`,
    );
  }
  if ((input.out_of_scope_share ?? 0) > 0 && outOfScope.length === 0) {
    warnings.push(
      `The declared out-of-scope share of ${formatFixedPercent(input.out_of_scope_share ?? 0)} has no evidence: every such request counts as routed.`,
    );
  }
  return warnings;
}

/** Tiers of the candidates of these records. */
function tiersIn(records: readonly ScoredRecord[]): readonly RiskTier[] {
  const used = new Set(records.flatMap(({ candidates }) => candidates.map(({ risk_tier: tier }) => tier)));
  return riskTiers.filter((tier) => used.has(tier));
}

interface ClarifyOptions {
  /** Required lower limit of the precision, in (0, 1). Default 0.6, because a wrong question costs little. */
  readonly precision?: number;
  /** Confidence of the one-sided lower limit. Default 0.95. */
  readonly confidence?: number;
}

/**
 * A question about missing inputs is right if it concerns the gold workflow and, if missing inputs are labelled, some
 * are missing.
 */
function isRightQuestion(record: ScoredRecord, workflowId: string | null): boolean {
  return workflowId === record.workflow_id && (record.expected_missing === null || record.expected_missing.length > 0);
}

/**
 * Smallest confidence, in thousandths, at which the Clopper-Pearson lower limit of the precision of CLARIFY on TUNE
 * reaches the required precision; 1 if there is none. This is an estimate, not a certified claim: a wrong question does
 * not start a workflow.
 *
 * @param thresholds  final thresholds of the tiers; their margins apply to CLARIFY too
 */
export function learnClarifyThreshold(
  records: readonly ScoredRecord[],
  thresholds: Omit<DecisionThresholds, "clarify_threshold">,
  options: ClarifyOptions = {},
): number {
  const { precision = 0.6, confidence = 0.95 } = options;
  const mayAsk = ({ candidates }: ScoredRecord): boolean => candidates.some((one) => one.missing_inputs.length > 0);
  const questions = records
    .filter((record) => record.error_code === null && record.early_reason === null && mayAsk(record))
    .map((record) => ({ record, decision: decide(record, { ...thresholds, clarify_threshold: 0 }) }))
    .filter(({ decision }) => decision.decision === "CLARIFY")
    .map(({ record, decision }) => ({
      threshold: Math.floor(decision.confidence * 1000 + 1e-6) / 1000,
      right: isRightQuestion(record, decision.workflow_id),
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
