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
import { certifyClaims, refuseRisingRisk, type TestedRequests } from "./certify-claims.js";
import { certifyFollowUps } from "./follow-ups.js";
import { foldRequests } from "./fold-requests.js";
import type { ClaimBasis } from "./claim-sentence.js";
import { type Choice, chooseThresholdSteps, languageThresholds } from "./choose-threshold-steps.js";
import { claimDocument, tierDocument } from "./claim-document.js";
import { assertDrawn } from "./claims/drawn-routes.js";
import type { FoldRequests } from "./claims/weighted-mix.js";
import { type ClaimGates, crossFit, holdOut, type Learned, testedBy, claimLists, claimRows } from "./cross-fit.js";
import { assertFitInput, type FitInput } from "./fit-input.js";
import { levelOf, procedureOf, withFamily } from "./procedure.js";
import { counted, formatCount, formatFixedPercent, formatFixedPercentDown } from "../src/documents/number-text.js";
import { perTier } from "./per-tier.js";
import { type CoveredLanguages, languagesOf, requestsByLanguage, withRoutes } from "./languages.js";
import { riskRises, risingRisk } from "./rising-risk.js";
import type { OpenGates } from "./routable.js";
import { certifyShortlist } from "./shortlist.js";
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

/**
 * Fits the calibrators.
 * @throws {SluiceError} SPLIT_INVALID  two folds share a cluster and the claim is about new workflows
 * @throws {SluiceError} SCORING_ERRORS  scoring failed for more than 1% of the records
 * @throws {SluiceError} CALIBRATION_INVALID  an option is out of range, or options conflict
 * @throws {SluiceError} FIT_FAILED  the given calibrator cannot be fitted
 */
export function learn(input: FitInput): Learned {
  const fit = procedureOf(input);
  assertFitInput(fit, input);
  const { tuned, tested } = foldsOf(fit, input);
  const outOfScopeShare = fit.out_of_scope_share ?? undefined;
  const options = { outOfScopeShare, background: backgroundOf(input, tuned) };
  return withFamily(fit, (family) =>
    fit.cross_fit === 1
      ? holdOut(tuned, tested, { ...options, family })
      : crossFit(tuned, { ...options, family, parts: fit.cross_fit }),
  );
}

/** The rule that a fit on TUNE and drawn routes will ship, without its threshold. @throws {SluiceError} as `learn` */
export function ruleOfDraws(input: FitInput): OpenGates {
  const { languages: covered } = procedureOf(input);
  const { calibrator, min_retrieval_score, several_wishes } = learn(input);
  const languages = covered === null ? undefined : { covered };
  return { calibrator, min_retrieval_score, certified_workflows: null, languages, several_wishes };
}

/** The workflows and languages that the tested requests cover. */
function claimGates({ tested }: Learned, fit: FitOptions) {
  // Routes drawn from a log are in whatever languages it has.
  const anyLanguage = fit.drawn_routes !== undefined && fit.languages === null;
  const languages = anyLanguage ? undefined : languagesOf(tested, fit);
  return { certified_workflows: workflowsOf(tested, fit), languages };
}

/** Records that a fit learns from and tests, both folds in a cross-fit, sorted by id so that their order has no effect. */
function foldsOf({ cross_fit: parts }: FitOptions, { records }: FitInput) {
  const usable = records.filter((record) => record.error_code === null);
  const fold = (name: Fold) => usable.filter((record) => record.fold === name).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (parts === 1) return { tuned: fold("tune"), tested: fold("certify") };
  const both = [...fold("tune"), ...fold("certify")];
  return { tuned: both, tested: both };
}

/** The requests that the tests of a fit count. */
export function testedRequests(learned: Learned, fit: FitOptions, gates = claimGates(learned, fit)): TestedRequests {
  return {
    rows: claimRows(learned, gates),
    requests: foldRequests(learned.tested),
    byLanguage: requestsByLanguage(learned.tested, gates.languages),
  };
}

/** The requests that the tests of a fit count, with the calibrators that test them. @throws {SluiceError} as `learn` */
export const testedRecords = (input: FitInput): readonly TestedRecord[] => testedBy(learn(input));

function populationText({ tested, by }: Learned, requests: FoldRequests, fit: FitOptions): string {
  const { drawn_routes: drawn } = fit;
  if (drawn !== undefined) {
    return `Routed requests of the log: ${formatCount(tested.length)}, drawn at random and judged by ${counted(drawn.people, "person", "people")}.`;
  }
  const folds = by === null ? "of the CERTIFY fold" : "of the folds TUNE and CERTIFY";
  return (
    `Requests like the ${formatCount(tested.length)} ${folds}: ${counted(requests.inScope.size, "workflow")}, ` +
    `${formatCount(requests.outOfScope.size)} out-of-scope groups, ${formatFixedPercentDown(outOfScopeShareIn(requests))} out of scope.`
  );
}

/** The options that a fit will state, without fitting. */
export function plannedOptions(input: FitInput): FitOptions {
  const fit = procedureOf(input);
  return withBackground(fit, input.background, backgroundOf(input, foldsOf(fit, input).tuned).length);
}

/**
 * Fits a calibration: calibrator, retrieval floor, clarify threshold and the tests of the claims. Deterministic and
 * independent of record order. Tiers that cannot be certified abstain, with a reason and a sentence about what is
 * missing; that is a normal outcome.
 *
 * @param learned  the result of `learn` for the same records and options, whatever the claim
 * @throws {SluiceError} as `learn`
 */
export function fitCalibration(input: FitInput, learned: Learned = learn(input)): Calibration {
  const fit = procedureOf(input);
  const open = claimGates(learned, fit);
  const { calibrator, min_retrieval_score, several_wishes, tuned, tested } = learned;
  const { certified_workflows } = open;
  const requests = testedRequests(learned, fit, open);
  const { rows } = requests;
  if (fit.drawn_routes !== undefined) assertDrawn(fit.drawn_routes, rows, tested.length);
  const rising = fit.claim === "new-workflows" ? risingRisk(rows) : null;
  const claims = certifyClaims(fit, requests);
  const shipped = chooseThresholdSteps(riskRises(rising) ? refuseRisingRisk(claims) : claims, fit.claim);
  const tiers = perTier((tier) => tierDocument(tier, shipped, fit, requests));
  const languages = withThresholds(open.languages, shipped);
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
    ...(languages === undefined ? {} : { languages: withRoutes(languages, testedBy(learned), thresholds) }),
    calibrator_candidates: learned.candidates,
    joint_delta: fit.delta,
    claims: shipped.map((choice) =>
      claimDocument(choice, fit, basisOf(choice, { tested, requests, languages, share: fit.out_of_scope_share })),
    ),
    ...shortlistOf(learned, open, fit),
    method: methodOf(fit),
    rising_risk: rising,
    cross_fit: learned.by === null ? null : { parts: learned.ofParts.length, by: learned.by },
    population: populationText(learned, requests.requests, fit),
    out_of_scope_share,
    traffic:
      fit.drawn_routes === undefined
        ? trafficOf(testedBy(learned), thresholds, {
            outOfScopeShare: out_of_scope_share,
            declared: fit.out_of_scope_share !== null,
            delta: fit.delta,
          })
        : trafficOfLog(fit.drawn_routes, shipped, out_of_scope_share),
    digests: input.digests,
    ...followUpsOf(input.followUps, { ...gates, languages }, fit),
    fit: {
      ...withBackground(fit, input.background, backgroundOf(input, tuned).length),
      ...statedFollowUps(input),
    },
    warnings: [...learned.warnings, ...(fit.drawn_routes === undefined ? fitWarnings(input, tested) : [])],
  };
}

/** Lists would need requests that are not routed, and one test would count all languages together. */
function shortlistOf(learned: Learned, open: ClaimGates, fit: FitOptions): Pick<Calibration, "shortlist"> {
  if (fit.drawn_routes !== undefined || fit.require_slices !== undefined) return {};
  const { parts, entry } = claimLists(learned, open, levelOf(fit));
  return { shortlist: certifyShortlist(parts, entry, fit) };
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
