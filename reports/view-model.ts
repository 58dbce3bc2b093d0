import { describeFollowUps } from "./text/calibration-text.js";
import type { BaselineComparison } from "../src/documents/baseline.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { ConfusionPair } from "../src/documents/comparison.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { counted, formatCount, formatPercent, formatPercentDown, formatRate } from "../src/documents/number-text.js";
import { baselineView } from "./baseline-view.js";
import { type Fact, factList, num, reportTable, type ReportTable, type Verdict } from "./blocks.js";
import { reliabilityView } from "./charts/reliability.js";
import { riskCoverageView } from "./charts/risk-coverage.js";
import { scoresView } from "./charts/scores.js";
import { tierCurveViews } from "./charts/tier-curve.js";
import { claimViews } from "./claim-view.js";
import { confusionTable, sliceTable } from "./confusion-tables.js";
import { driftTable } from "./drift-table.js";
import { explorerView } from "./explorer/explorer-view.js";
import { headline, planReservation } from "./headline.js";
import {
  claimCountNote,
  certifiedClaims,
  isAsTested,
  judgeClaim,
  overallVerdict,
  unseenFold,
} from "./judge-release.js";
import { type LeaderboardData, leaderboardTable } from "./leaderboard-table.js";
import { lineageTable, lineageWarnings, type ReportLineage } from "./lineage-view.js";
import { lossTables, populationTable } from "./loss-tables.js";
import type { ReportedRequest } from "./reported-request.js";
import { decisionTable, measuredRates, reasonTable, retrievalRates } from "./result-views.js";
import { outOfScopeTable, qualityTable } from "./score-tables.js";
import type { TierView } from "./tier-view.js";
import { type CatalogNames, tierViews } from "./tier-view.js";
import { adviceOf } from "./text/plan-text.js";

export interface ReportInput {
  readonly evaluation: Evaluation;
  /** The calibration whose thresholds the evaluation used, if any. */
  readonly calibration: Calibration | null;
  /** Source of the workflow names of each tier. */
  readonly catalog?: CatalogNames;
  readonly lineage: ReportLineage;
  /** The run compared with a baseline. Default: none. */
  readonly baseline?: BaselineComparison | null;
  /** For imported predictions, the results of the systems that answered the same requests. */
  readonly leaderboard?: LeaderboardData | undefined;
  /** Confidence threshold of every tier, if used instead of a calibration. */
  readonly minConfidence?: number | undefined;
  /** Confused workflows, most wrong routes first. Default: none. */
  readonly confusions?: readonly ConfusionPair[];
  /** The scored requests of the fold, for the charts by tier and population. Default: none. */
  readonly requests?: readonly ReportedRequest[];
  /** Text shown verbatim below the title, for example a release or a date. */
  readonly generatedFor: string;
}

/** One sentence per tier whose thresholds in the evaluation differ from the calibration's. */
function thresholdWarnings(evaluation: Evaluation, calibration: Calibration | null): readonly string[] {
  if (calibration === null) return [];
  return evaluation.tiers
    .filter(({ tier, threshold, margin_threshold }) => {
      const certified = calibration.tiers[tier];
      return threshold !== certified.confidence || margin_threshold !== certified.margin;
    })
    .map(({ tier }) => `Tier ${tier}: the thresholds of the evaluation differ from those of the calibration.`);
}

function warnings({ evaluation, calibration, lineage, minConfidence }: ReportInput): readonly string[] {
  const note = calibration === null ? "" : claimCountNote(calibration, evaluation);
  const notUnseen =
    evaluation.fold === unseenFold || isAsTested(evaluation, calibration)
      ? []
      : [
          `These figures come from fold ${evaluation.fold.toUpperCase()}, not from EVAL. Models, calibration or thresholds were ` +
            "fitted on some of these requests, so the figures are weaker evidence than held-out requests would give.",
        ];
  const errors =
    evaluation.scoring_errors === 0
      ? []
      : [
          `${formatCount(evaluation.scoring_errors)} of ${counted(evaluation.requests, "request")} could not be scored. ` +
            "They count neither as right nor as wrong.",
        ];
  const flat =
    minConfidence === undefined
      ? []
      : [
          `Requests are routed at confidence ${minConfidence} or more in every tier. There is no calibration, so nothing is promised.`,
        ];
  const missing =
    calibration === null && minConfidence === undefined && evaluation.calibration_sha256 !== null
      ? ["The evaluation used a calibration that was not given to this report, so its claims cannot be shown."]
      : [];
  return [
    ...(note === "" ? [] : [note]),
    ...notUnseen,
    ...errors,
    ...missing,
    ...flat,
    ...thresholdWarnings(evaluation, calibration),
    ...lineageWarnings(evaluation, calibration, lineage),
    ...(calibration === null ? [] : [...calibration.warnings, ...adviceOf(calibration)]),
  ];
}

function facts({ evaluation, catalog }: ReportInput): readonly Fact[] {
  return factList([
    ["Fold", evaluation.fold.toUpperCase()],
    ["Requests", formatCount(evaluation.requests)],
    ["In scope", formatCount(evaluation.in_scope)],
    ["Out of scope", formatCount(evaluation.out_of_scope)],
    ["Failed requests", formatCount(evaluation.scoring_errors)],
    ["Workflows", formatCount(evaluation.workflows)],
    ...(catalog === undefined ? [] : ([["Catalog", catalog.catalog_version]] as const)),
  ]);
}

function calibrationFacts(calibration: Calibration | null): readonly Fact[] {
  if (calibration === null) return [];
  const { calibrator } = calibration;
  return factList([
    ["Version", calibration.calibration_version],
    [
      "Calibrator",
      "slope" in calibrator
        ? `${calibrator.family}, slope ${String(calibrator.slope)}, intercept ${String(calibrator.intercept)}`
        : calibrator.family,
    ],
    [
      "Fitted on",
      `${counted(calibrator.fitted_requests, "request")}; the first candidate is wrong for ${formatCount(calibrator.fitted_errors)}`,
    ],
    ["Certification", calibration.method],
    ["Probability that any claim fails", `at most ${formatPercent(calibration.joint_delta)}`],
    ["Population", calibration.population],
    ...(calibration.fit.drawn_routes === undefined
      ? ([["Assumed out-of-scope share", formatPercentDown(calibration.out_of_scope_share)]] as const)
      : []),
    ["Clarify threshold", String(calibration.clarify_threshold)],
    ["Retrieval floor", String(calibration.min_retrieval_score)],
  ]);
}

/** Verdict and target of the overall claim; "no claim" if each tier has a separate claim. */
function overallClaim({ evaluation, calibration }: ReportInput) {
  const claim = calibration?.claims.find(({ scope }) => scope === "overall");
  if (claim === undefined || calibration === null) return { verdict: "no claim" as const, target: null };
  return { verdict: judgeClaim(claim, evaluation, certifiedClaims(calibration)).verdict, target: claim.target_risk };
}

const shortlistSentence = (calibration: Calibration | null): string | null => calibration?.shortlist?.sentence ?? null;

/**
 * Number of in-scope and out-of-scope requests by shortlist length, under the signed thresholds; null for the requests of
 * the claim, which counts each of them under thresholds that were learned without it.
 */
function shortlistLengths({ evaluation, calibration, requests = [] }: ReportInput): ReportTable | null {
  const signed = calibration?.shortlist;
  if (signed?.certified !== true || requests.length === 0 || isAsTested(evaluation, calibration)) return null;
  const lengths = Array.from({ length: signed.size + 1 }, (_, length) => length);
  const row = (label: string, inScope: boolean): readonly string[] => {
    const lists = requests.flatMap(({ rightWorkflowId, shortlist }) =>
      shortlist !== undefined && (rightWorkflowId !== null) === inScope ? [shortlist] : [],
    );
    const withRight = formatCount(lists.filter(({ hasRight }) => hasRight).length);
    const counts = lengths.map((length) => formatCount(lists.filter((list) => list.length === length).length));
    return [label, formatCount(lists.length), ...counts, inScope ? withRight : "-"];
  };
  return reportTable(
    `Shortlists by length, with the signed thresholds: confidence ${signed.entry}, relative odds ${signed.share}`,
    [
      "Requests",
      ...[
        "All",
        ...lengths.map((length) => (length === 0 ? "Empty" : String(length))),
        "Contain the right workflow",
      ].map(num),
    ],
    [row("In scope", true), row("Out of scope", false)],
  );
}

/** The evaluation without its calibration, so that its thresholds carry no claim. */
const undecided = (evaluation: Evaluation): Evaluation => ({ ...evaluation, calibration_sha256: null });

/** Everything that the report of one evaluation shows, formatted. Pure: equal inputs give equal models. */
export function buildReportModel(input: ReportInput) {
  const { evaluation, calibration, catalog, lineage, baseline = null, leaderboard, generatedFor } = input;
  const note = calibration === null ? "" : claimCountNote(calibration, evaluation);
  const tiers = tierViews(evaluation, calibration, catalog);
  const claims = claimViews(evaluation, calibration);
  return {
    title: "Evaluation report",
    generatedFor,
    facts: facts(input),
    headline: calibration === null ? [] : headline(calibration),
    reservation: calibration === null ? null : planReservation(calibration),
    overall: overallVerdict(input.minConfidence === undefined ? evaluation : undecided(evaluation), claims),
    warnings: warnings(input),
    claims,
    shortlist: shortlistSentence(calibration),
    followUps: describeFollowUps(calibration),
    shortlistLengths: shortlistLengths(input),
    numbers: numbersTable(evaluation, tiers, { ...overallClaim(input), note }),
    measured: measuredRates(evaluation, note),
    tiers,
    tierCurves: tierCurveViews(input),
    scores: scoresView(input.requests ?? []),
    drift: driftTable(input.requests ?? [], calibration),
    riskCoverage: riskCoverageView(evaluation, calibration),
    reliability: reliabilityView({
      bins: evaluation.reliability,
      error: evaluation.detail.calibration.equal_width_error,
    }),
    retrieval: retrievalRates(evaluation),
    baseline:
      leaderboard === undefined
        ? baseline && baselineView(baseline)
        : { sentence: null, table: leaderboardTable(leaderboard) },
    decisions: decisionTable(evaluation),
    reasons: reasonTable(evaluation),
    losses: lossTables(evaluation),
    confusions: confusionTable(input.confusions ?? []),
    slices: sliceTable(evaluation),
    populations: populationTable(evaluation),
    outOfScope: outOfScopeTable(evaluation),
    quality: qualityTable(evaluation),
    calibration: calibrationFacts(calibration),
    lineage: lineageTable(evaluation, calibration, lineage),
    explorer: explorerView(input),
  };
}

/** Everything that an evaluation report shows, formatted; its JSON form. */
export type ReportModel = ReturnType<typeof buildReportModel>;

const targetText = (target: number | null): string => (target === null ? "none" : `at most ${formatPercent(target)}`);

function numbersTable(
  evaluation: Evaluation,
  tiers: readonly TierView[],
  overall: { readonly verdict: Verdict; readonly target: number | null; readonly note: string },
): ReportTable {
  return reportTable(
    `Promised and ${overall.note === "" ? "measured" : "as decided now"}, 95% intervals`,
    [
      "Requests",
      "Verdict",
      num("Target"),
      num("Wrong / routed"),
      num("Routed / requests"),
      num("Confidence threshold"),
    ],
    [
      [
        "All",
        overall.verdict,
        targetText(overall.target),
        formatRate(evaluation.selective_risk),
        formatRate(evaluation.coverage),
        "by tier",
      ],
      ...evaluation.tiers.flatMap(({ tier, target_risk, selective_risk, routed, threshold }) => {
        const view = tiers.find((one) => one.tier === tier);
        if (view === undefined) return [];
        const text = threshold === null ? "none" : String(threshold);
        return [
          [`Tier ${tier}`, view.verdict, targetText(target_risk), formatRate(selective_risk), formatRate(routed), text],
        ];
      }),
    ],
  );
}
