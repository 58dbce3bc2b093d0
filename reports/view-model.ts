import type { Calibration } from "../src/domain/calibration.js";
import type { BaselineComparison } from "../src/domain/baseline.js";
import type { Evaluation } from "../src/domain/evaluation.js";
import { type Confusion, confusionTable, sliceTable } from "./confusion-tables.js";
import { claimViews } from "./claim-view.js";
import { baselineView } from "./baseline-view.js";
import { counted, formatCount, formatPercent } from "../src/domain/number-text.js";
import { certifiedClaims, judgeClaim, overallVerdict, unseenFold } from "./judge-release.js";
import { type LeaderboardData, leaderboardTable } from "./leaderboard-table.js";
import { type ReportLineage, lineageTable, lineageWarnings } from "./lineage-view.js";
import { reliabilityView } from "./reliability-view.js";
import type { Fact, ReportModel } from "./report-model.js";
import { guardTable, lossTables, populationTable } from "./loss-tables.js";
import { decisionTable, measuredRates, reasonTable, retrievalRates } from "./result-views.js";
import { outOfScopeTable, qualityTable } from "./score-tables.js";
import { riskCoverageView } from "./risk-coverage-view.js";
import { confusedPairsView, endingsView } from "./count-bars-view.js";
import { driftView } from "./drift-view.js";
import { funnelView } from "./funnel-view.js";
import { explorerView } from "./explorer/explorer-view.js";
import { numbersTable } from "./numbers-view.js";
import type { ReportedRequest } from "./reported-request.js";
import { scoresView } from "./scores-view.js";
import { tierCurveViews } from "./tier-curves-view.js";
import { tierBarsView } from "./tier-bars-view.js";
import { type CatalogNames, tierViews } from "./tier-view.js";

export interface ReportInput {
  readonly evaluation: Evaluation;
  /** Version of the run, which says what its populations follow. Default 2. */
  /** The calibration whose thresholds the evaluation used; null when there was none. */
  readonly calibration: Calibration | null;
  /** Gives the report the names of the workflows of each tier. */
  readonly catalog?: CatalogNames;
  readonly lineage: ReportLineage;
  /** The run next to its baselines, and a sentence for each omitted baseline; by default none. */
  readonly baselines?: { readonly comparisons: readonly BaselineComparison[]; readonly leftOut: readonly string[] };
  /** Imported predictions: the systems that answered the same requests. */
  readonly leaderboard?: LeaderboardData | undefined;
  /** The one confidence from which every tier answers, where that stands in for a calibration. */
  readonly minConfidence?: number | undefined;
  /** Workflows that are confused, most wrong routes first; by default none. */
  readonly confusions?: readonly Confusion[];
  /** The scored requests of the fold: what charts by tier and population are drawn from; by default none. */
  readonly requests?: readonly ReportedRequest[];
  /** Shown verbatim below the title: the release, the reader, a date when one is wanted. */
  readonly generatedFor: string;
}

/** One sentence for each tier whose thresholds in the evaluation are not those of the calibration. */
function thresholdWarnings(evaluation: Evaluation, calibration: Calibration | null): readonly string[] {
  if (calibration === null) return [];
  return evaluation.tiers
    .filter(({ tier, threshold, marginThreshold }) => {
      const certified = calibration.tiers[tier];
      return threshold !== certified.confidence || marginThreshold !== certified.margin;
    })
    .map(({ tier }) => `Tier ${tier}: the evaluation used other thresholds than the calibration has.`);
}

function warnings({ evaluation, calibration, lineage, minConfidence }: ReportInput): readonly string[] {
  const notUnseen =
    evaluation.fold === unseenFold
      ? []
      : [
          `The numbers come from fold ${evaluation.fold.toUpperCase()}, not from EVAL: some of these requests shaped the ` +
            "model, the calibration or the thresholds, so they show less than unseen workflows would.",
        ];
  const errors =
    evaluation.exampleErrors === 0
      ? []
      : [
          `${formatCount(evaluation.exampleErrors)} of ${counted(evaluation.requests, "request")} could not be scored. ` +
            "They are counted here and never as right or wrong.",
        ];
  const flat =
    minConfidence === undefined
      ? []
      : [`Requests are answered from confidence ${minConfidence} in every tier. No calibration promises anything.`];
  const missing =
    calibration === null && minConfidence === undefined && evaluation.calibrationSha256 !== null
      ? ["The evaluation used a calibration that was not given to this report, so its promises cannot be shown."]
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
    { label: "In scope", value: formatCount(evaluation.inScope) },
    { label: "Out of scope", value: formatCount(evaluation.outOfScope) },
    { label: "Not scored (errors)", value: formatCount(evaluation.exampleErrors) },
    { label: "Workflows", value: formatCount(evaluation.workflows) },
    ...(catalog === undefined ? [] : [{ label: "Catalog", value: catalog.catalogVersion }]),
  ];
}

function calibrationFacts(calibration: Calibration | null): readonly Fact[] {
  if (calibration === null) return [];
  const { calibrator } = calibration;
  return [
    { label: "Version", value: calibration.calibrationVersion },
    {
      label: "Calibrator",
      value:
        "slope" in calibrator
          ? `${calibrator.family}, slope ${String(calibrator.slope)}, intercept ${String(calibrator.intercept)}`
          : calibrator.family,
    },
    {
      label: "Fitted on",
      value: `${counted(calibrator.fittedRequests, "request")}, ${formatCount(calibrator.fittedErrors)} of them errors`,
    },
    { label: "Certification", value: calibration.method },
    ...(calibration.jointDelta === null
      ? []
      : [
          {
            label: "May fail, all claims together",
            value: `with probability at most ${String(calibration.jointDelta)}`,
          },
        ]),
    { label: "Population", value: calibration.population },
    { label: "Out-of-scope share it assumes", value: formatPercent(calibration.outOfScopeShare) },
    { label: "Clarify threshold", value: String(calibration.clarifyThreshold) },
    { label: "Retrieval floor", value: String(calibration.minRetrievalScore) },
  ];
}

/** What the claim over all tiers says; "no claim" where each tier has a separate claim. */
function overallClaim({ evaluation, calibration }: ReportInput) {
  const claim = calibration?.claims.find(({ scope }) => scope === "overall");
  if (claim === undefined || calibration === null) return { verdict: "no claim" as const, target: null };
  return { verdict: judgeClaim(claim, evaluation, certifiedClaims(calibration)).verdict, target: claim.targetRisk };
}

/** An evaluation whose thresholds promise nothing. */
const undecided = (evaluation: Evaluation): Evaluation => ({ ...evaluation, calibrationSha256: null });

/** Everything that the report of one evaluation shows, formatted. Pure: the same input gives the same model. */
export function buildReportModel(input: ReportInput): ReportModel {
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
    reliability: reliabilityView(evaluation),
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
