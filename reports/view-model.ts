import type { BaselineComparison } from "../src/documents/baseline.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { AttributionBucket } from "../src/documents/choices.js";
import { riskTiers } from "../src/documents/choices.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { driftValue, expectedRates } from "../src/documents/expected-rates.js";
import {
  counted,
  formatCount,
  formatPercent,
  formatRate,
  formatTenthsPercent,
  noData,
} from "../src/documents/number-text.js";
import { baselineView } from "./baseline-view.js";
import { type ChartView, type Fact, num, reportTable, type ReportTable, type Verdict } from "./blocks.js";
import type { CountBarsData } from "./charts/count-bars.js";
import type { DriftData } from "./charts/drift.js";
import type { TierBarsData } from "./charts/tier-bars.js";
import { claimViews } from "./claim-view.js";
import { type Confusion, confusionTable, sliceTable } from "./confusion-tables.js";
import { explorerView } from "./explorer/explorer-view.js";
import { funnelView } from "./funnel-view.js";
import { calibratorNote, certifiedClaims, judgeClaim, overallVerdict, unseenFold } from "./judge-release.js";
import { type LeaderboardData, leaderboardTable } from "./leaderboard-table.js";
import { lineageTable, lineageWarnings, type ReportLineage } from "./lineage-view.js";
import { guardTable, lossTables, populationTable } from "./loss-tables.js";
import { reliabilityView } from "./reliability-view.js";
import type { ReportedRequest } from "./reported-request.js";
import { decisionTable, measuredRates, reasonTable, retrievalRates } from "./result-views.js";
import { riskCoverageView } from "./risk-coverage-view.js";
import { outOfScopeTable, qualityTable } from "./score-tables.js";
import { scoresView } from "./scores-view.js";
import { tierCurveViews } from "./tier-curves-view.js";
import type { TierView } from "./tier-view.js";
import { type CatalogNames, tierViews } from "./tier-view.js";

export interface ReportInput {
  readonly evaluation: Evaluation;
  /** Version of the run, which determines how its populations are defined. Default 2. */
  /** The calibration whose thresholds the evaluation used, if any. */
  readonly calibration: Calibration | null;
  /** Source of the workflow names of each tier. */
  readonly catalog?: CatalogNames;
  readonly lineage: ReportLineage;
  /** Comparisons of the run with its baselines, and a sentence per omitted baseline. Default: none. */
  readonly baselines?: { readonly comparisons: readonly BaselineComparison[]; readonly leftOut: readonly string[] };
  /** For imported predictions, the results of the systems that answered the same requests. */
  readonly leaderboard?: LeaderboardData | undefined;
  /** Confidence threshold of every tier, if used instead of a calibration. */
  readonly minConfidence?: number | undefined;
  /** Confused workflows, most wrong routes first. Default: none. */
  readonly confusions?: readonly Confusion[];
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
  const notUnseen =
    evaluation.fold === unseenFold
      ? []
      : [
          `These figures come from fold ${evaluation.fold.toUpperCase()}, not from EVAL. Models, calibration or thresholds were ` +
            "fitted on some of these requests, so the figures are weaker evidence than held-out requests would give.",
          ...(calibration === null ? [] : [calibratorNote(calibration, evaluation)].filter((note) => note !== "")),
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
    ...notUnseen,
    ...errors,
    ...missing,
    ...flat,
    ...thresholdWarnings(evaluation, calibration),
    ...lineageWarnings(evaluation, calibration, lineage),
    ...(calibration?.warnings ?? []),
  ];
}

function facts({ evaluation, catalog }: ReportInput): readonly Fact[] {
  return [
    { label: "Fold", value: evaluation.fold.toUpperCase() },
    { label: "Requests", value: formatCount(evaluation.requests) },
    { label: "In scope", value: formatCount(evaluation.in_scope) },
    { label: "Out of scope", value: formatCount(evaluation.out_of_scope) },
    { label: "Failed requests", value: formatCount(evaluation.scoring_errors) },
    { label: "Workflows", value: formatCount(evaluation.workflows) },
    ...(catalog === undefined ? [] : [{ label: "Catalog", value: catalog.catalog_version }]),
  ];
}

function calibrationFacts(calibration: Calibration | null): readonly Fact[] {
  if (calibration === null) return [];
  const { calibrator } = calibration;
  return [
    { label: "Version", value: calibration.calibration_version },
    {
      label: "Calibrator",
      value:
        "slope" in calibrator
          ? `${calibrator.family}, slope ${String(calibrator.slope)}, intercept ${String(calibrator.intercept)}`
          : calibrator.family,
    },
    {
      label: "Fitted on",
      value: `${counted(calibrator.fitted_requests, "request")}, ${formatCount(calibrator.fitted_errors)} wrong`,
    },
    { label: "Certification", value: calibration.method },
    ...(calibration.joint_delta === null
      ? []
      : [
          {
            label: "Probability that any claim fails",
            value: `at most ${formatPercent(calibration.joint_delta)}`,
          },
        ]),
    { label: "Population", value: calibration.population },
    { label: "Assumed out-of-scope share", value: formatPercent(calibration.out_of_scope_share) },
    { label: "Clarify threshold", value: String(calibration.clarify_threshold) },
    { label: "Retrieval floor", value: String(calibration.min_retrieval_score) },
  ];
}

/** Verdict and target of the overall claim; "no claim" if each tier has a separate claim. */
function overallClaim({ evaluation, calibration }: ReportInput) {
  const claim = calibration?.claims.find(({ scope }) => scope === "overall");
  if (claim === undefined || calibration === null) return { verdict: "no claim" as const, target: null };
  return { verdict: judgeClaim(claim, evaluation, certifiedClaims(calibration)).verdict, target: claim.target_risk };
}

const shortlistSentence = (calibration: Calibration | null): string | null => calibration?.shortlist?.sentence ?? null;

/** Number of in-scope and out-of-scope requests by shortlist length, under the signed thresholds. */
function shortlistLengths(calibration: Calibration | null, requests: readonly ReportedRequest[]): ReportTable | null {
  const signed = calibration?.shortlist;
  if (signed?.certified !== true || requests.length === 0) return null;
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
  const { evaluation, calibration, catalog, lineage, baselines, leaderboard, generatedFor } = input;
  const tiers = tierViews(evaluation, calibration, catalog);
  const claims = claimViews(evaluation, calibration);
  return {
    title: "Evaluation report",
    generatedFor,
    facts: facts(input),
    overall: overallVerdict(input.minConfidence === undefined ? evaluation : undecided(evaluation), claims),
    warnings: warnings(input),
    claims,
    shortlist: shortlistSentence(calibration),
    shortlistLengths: shortlistLengths(calibration, input.requests ?? []),
    numbers: numbersTable(evaluation, tiers, overallClaim(input)),
    measured: measuredRates(evaluation),
    tiers,
    tierCurves: tierCurveViews(input),
    scores: scoresView(input.requests ?? []),
    endings: endingsView(evaluation),
    confusedPairs: confusedPairsView(input.confusions ?? []),
    funnel: funnelView(input.requests ?? [], evaluation),
    drift: driftView(input.requests ?? [], calibration),
    riskCoverage: riskCoverageView(evaluation, calibration),
    reliability: reliabilityView({
      bins: evaluation.reliability,
      error: evaluation.detail.calibration.equal_width_error,
    }),
    tierBars: tierBarsView(evaluation, tiers),
    retrieval: retrievalRates(evaluation),
    baselines:
      leaderboard === undefined
        ? baselineView(baselines?.comparisons ?? [], baselines?.leftOut)
        : { sentences: [], tables: [leaderboardTable(leaderboard)] },
    decisions: decisionTable(evaluation),
    reasons: reasonTable(evaluation),
    losses: lossTables(evaluation),
    confusions: confusionTable(input.confusions ?? []),
    slices: sliceTable(evaluation),
    populations: populationTable(evaluation),
    outOfScope: outOfScopeTable(evaluation),
    guards: guardTable(evaluation),
    quality: qualityTable(evaluation),
    calibration: calibrationFacts(calibration),
    lineage: lineageTable(evaluation, calibration, lineage),
    explorer: explorerView(input),
  };
}

/** Everything that an evaluation report shows, formatted; its JSON form. */
export type ReportModel = ReturnType<typeof buildReportModel>;

const targetText = (target: number | null): string => (target === null ? "none" : `at most ${formatPercent(target)}`);

/** Table of coverage, risk, target, threshold and verdict, for all requests and per tier. */
function numbersTable(
  evaluation: Evaluation,
  tiers: readonly TierView[],
  overall: { readonly verdict: Verdict; readonly target: number | null },
): ReportTable {
  return reportTable(
    "Promised and measured, 95 % intervals",
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
      ...evaluation.tiers.map(({ tier, target_risk, selective_risk, routed, threshold }) => [
        `Tier ${tier}`,
        tiers.find((view) => view.tier === tier)?.verdict ?? "",
        targetText(target_risk),
        formatRate(selective_risk),
        formatRate(routed),
        threshold === null ? "none" : String(threshold),
      ]),
    ],
  );
}

/** Formats a rate as a percentage and a mean confidence as a number. */
const driftText = (statistic: string, value: number): string =>
  statistic === "confidence" ? value.toFixed(3) : formatTenthsPercent(value);

function rowsOf(requests: readonly ReportedRequest[], calibration: Calibration): DriftData["rows"] {
  return expectedRates(calibration).flatMap((expected) => {
    const values = requests.flatMap(({ reason, routed, tier, confidence }) => {
      if (reason === null) return [];
      return driftValue(expected, { routed, reasonCode: reason, riskTier: tier, confidence }) ?? [];
    });
    if (values.length === 0) return [];
    const { statistic, tier, lower, upper } = expected;
    const value = values.reduce((sum, each) => sum + each, 0) / values.length;
    const label = tier === "all" ? `${statistic}, all tiers` : `${statistic}, tier ${tier}`;
    const text = {
      range: `${driftText(statistic, lower)} to ${driftText(statistic, upper)}`,
      value: driftText(statistic, value),
    };
    return [{ label, lower, upper, value, text, requests: values.length, inside: value >= lower && value <= upper }];
  });
}

/** The drift statistics of a server, computed on the requests of the report; empty without a calibration. */
export function driftView(requests: readonly ReportedRequest[], calibration: Calibration | null): ChartView<DriftData> {
  const rows = calibration === null ? [] : rowsOf(requests, calibration);
  const title = "These requests compared with the certification";
  return {
    title,
    caption:
      "The bar is the range expected for requests like those of the certification (99 %); the mark is the value measured " +
      "here. A server monitors the same statistics for drift.",
    alt: `${title}: ${rows.map(({ label, text, inside }) => `${label} ${text.value} ${inside ? "inside" : "outside"}`).join(", ")}.`,
    data: rows.length === 0 ? null : { rows },
    table: reportTable(
      title,
      ["Statistic", num("Expected"), num("Measured"), num("Requests"), "In the range"],
      rows.map(({ label, text, requests: count, inside }) => [
        label,
        text.range,
        text.value,
        formatCount(count),
        inside ? "yes" : "no",
      ]),
    ),
  };
}

const drawnPairs = 10;

const good: ReadonlySet<AttributionBucket> = new Set(["correct_route", "right_question", "correct_abstention"]);

function viewOf(
  words: { readonly title: string; readonly caption: string; readonly columns: readonly [string, string] },
  bars: CountBarsData["bars"],
): ChartView<CountBarsData> {
  const [first, second] = words.columns;
  return {
    title: words.title,
    caption: words.caption,
    alt: `${words.title}: ${bars.map(({ label, requests }) => `${label} ${formatCount(requests)}`).join(", ")}.`,
    data: bars.length === 0 ? null : { bars },
    table: reportTable(
      words.title,
      [first, num(second)],
      bars.map(({ label, requests }) => [label, formatCount(requests)]),
    ),
  };
}

/** Number of requests per outcome, in stage order; empty without decisions. */
function endingsView({ detail }: Evaluation): ChartView<CountBarsData> {
  const rows = (detail.attribution?.rows ?? []).filter(({ requests }) => requests > 0);
  const bars = rows.map(({ bucket, requests }) => {
    const lost = bucket === "out_of_scope_routed" ? "bad" : "other";
    return { label: bucket.replaceAll("_", " "), requests, kind: good.has(bucket) ? "good" : lost } as const;
  });
  const caption =
    "Each request is counted once: at the first stage that failed (pale), or at its correct outcome (filled). A routed " +
    "out-of-scope request is always wrong.";
  return viewOf({ title: "Where requests end", caption, columns: ["Outcome", "Requests"] }, bars);
}

/** The most confused pairs. */
function confusedPairsView(confusions: readonly Confusion[]): ChartView<CountBarsData> {
  const bars = confusions
    .slice(0, drawnPairs)
    .map(({ right_workflow_id: rightWorkflowId, first_workflow_id: firstWorkflowId, requests, routed }) => ({
      label: `${rightWorkflowId ?? "(out of scope)"} → ${firstWorkflowId}`,
      requests,
      kind: routed > 0 ? ("bad" as const) : ("other" as const),
    }));
  const caption = "Right workflow → the workflow ranked first. Filled: at least one of these requests was routed.";
  return viewOf({ title: "Confused pairs", caption, columns: ["Right → ranked first", "Requests"] }, bars);
}

/** Coverage and selective risk of every tier with their intervals, and the target next to the risk. */
function tierBarsView(evaluation: Evaluation, tiers: readonly TierView[]): ChartView<TierBarsData> {
  const ordered = riskTiers.flatMap((tier) => evaluation.tiers.filter((t) => t.tier === tier));
  const rows = ordered.flatMap((t) => [
    { tier: t.tier, measure: "coverage" as const, rate: t.routed, target: null },
    { tier: t.tier, measure: "selective risk" as const, rate: t.selective_risk, target: t.target_risk },
  ]);
  return {
    title: "Coverage and selective risk by tier",
    caption:
      "The thin line is the 95 % interval, the vertical mark the target. A tier passes when the whole interval of its risk " +
      "lies at or left of the mark.",
    alt:
      rows.length === 0
        ? `Coverage and selective risk by tier: ${noData}.`
        : "Two bar charts with intervals, coverage above and selective risk with its target below, one bar for each of " +
          `${ordered.map((t) => t.tier).join(", ")}. The values are in the table below the chart.`,
    data:
      rows.length === 0
        ? null
        : {
            rows: rows.map(({ rate, ...row }) => ({
              ...row,
              estimate: rate.estimate,
              lower: rate.lower,
              upper: rate.upper,
              absent: rate.n === 0 && row.measure === "selective risk" ? "nothing routed" : noData,
            })),
          },
    table: reportTable(
      "Coverage and selective risk by tier",
      ["Tier", num("Coverage"), num("Selective risk"), num("Target"), "Verdict"],
      ordered.map((t) => [
        t.tier,
        formatRate(t.routed),
        formatRate(t.selective_risk),
        targetText(t.target_risk),
        tiers.find((view) => view.tier === t.tier)?.verdict ?? "",
      ]),
    ),
  };
}
