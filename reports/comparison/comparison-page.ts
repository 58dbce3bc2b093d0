import { shortId } from "../../src/base/text.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { type Fold, riskTiers } from "../../src/documents/choices.js";
import type { Comparison, Flip } from "../../src/documents/comparison.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { formatCount, formatCounts, formatPercent, formatPValue, noData } from "../../src/documents/number-text.js";
import type { PageLink } from "../blocks.js";
import { type Fact, factList, num, reportTable, type ReportTable } from "../blocks.js";
import { promiseOf } from "../claim-view.js";
import { sliceChanges } from "../confusion-tables.js";
import { comparisonVerdict, measureLabel } from "./comparison-verdict.js";

export interface ComparedSubject {
  readonly runSha256: string;
  /** What the run is called; null without a note. */
  readonly note: string | null;
  readonly calibrationSha256: string | null;
  /** null if the same confidence decides for every tier, or if there are no thresholds. */
  readonly calibration: Calibration | null;
  readonly evaluation: Evaluation;
}

export interface ComparisonPageInput {
  readonly a: ComparedSubject;
  readonly b: ComparedSubject;
  readonly decisions: Comparison;
  readonly fold: Fold | "all";
  readonly warnings: readonly string[];
  readonly links?: readonly PageLink[];
}

/** Requests with the same change of outcome or workflow. */
export interface FlipBucket {
  /** For example "routed right → declined". */
  readonly title: string;
  readonly effect: Flip["effect"];
  readonly flips: readonly {
    readonly id: string;
    readonly right: string;
    readonly a: string;
    readonly b: string;
  }[];
}

const words = (name: string): string => name.replaceAll("_", " ");

function answerText({ ending, workflow_id: workflowId, confidence }: Flip["a"]): string {
  return `${words(ending)}${workflowId === null ? "" : ` ${workflowId}`}, ${confidence.toFixed(3)}`;
}

const effects: readonly Flip["effect"][] = ["worse", "neutral", "better"];

function bucketsOf(flips: readonly Flip[]): readonly FlipBucket[] {
  const buckets = new Map<string, { effect: Flip["effect"]; flips: FlipBucket["flips"][number][] }>();
  for (const flip of flips) {
    const title = `${words(flip.a.ending)} → ${words(flip.b.ending)}`;
    const bucket = buckets.get(title) ?? { effect: flip.effect, flips: [] };
    bucket.flips.push({
      id: flip.id,
      right: flip.workflow_id ?? "(out of scope)",
      a: answerText(flip.a),
      b: answerText(flip.b),
    });
    buckets.set(title, bucket);
  }
  return [...buckets]
    .map(([title, bucket]) => ({ title, ...bucket }))
    .sort(
      (x, y) =>
        effects.indexOf(x.effect) - effects.indexOf(y.effect) ||
        y.flips.length - x.flips.length ||
        (x.title < y.title ? -1 : 1),
    );
}

/** A run as people name it: its short id and its note. */
export const runText = ({ runSha256, note }: Pick<ComparedSubject, "runSha256" | "note">): string =>
  `run ${shortId(runSha256)}${note === null ? "" : ` (${note})`}`;

const subjectText = ({ calibration, calibrationSha256, ...subject }: ComparedSubject): string =>
  `${runText(subject)}, ` +
  (calibration === null
    ? "one confidence for every tier"
    : `${calibration.calibration_version} (${(calibrationSha256 ?? "").slice(0, 12)})`);

const promiseText = ({ calibration }: ComparedSubject): string => promiseOf(calibration?.claims[0]).promise;

function thresholdOf({ calibration, evaluation }: ComparedSubject, tier: (typeof riskTiers)[number]): string {
  const threshold =
    calibration === null
      ? (evaluation.tiers.find((each) => each.tier === tier)?.threshold ?? null)
      : calibration.tiers[tier].confidence;
  return threshold === null ? "abstains" : String(threshold);
}

function coverageOf({ evaluation }: ComparedSubject, tier: (typeof riskTiers)[number]): string {
  const routed = evaluation.tiers.find((each) => each.tier === tier)?.routed;
  return routed === undefined || routed.estimate === null ? "none" : formatPercent(routed.estimate, 1);
}

function thresholdTable(a: ComparedSubject, b: ComparedSubject): ReportTable {
  return reportTable(
    "Thresholds of each tier, and what share of its requests is routed",
    ["Tier", num("A routes at or above"), num("B routes at or above"), num("A routed"), num("B routed")],
    riskTiers
      .filter((tier) =>
        [a, b].some(({ evaluation }) => evaluation.tiers.some((each) => each.tier === tier && each.routed.n > 0)),
      )
      .map((tier) => [tier, thresholdOf(a, tier), thresholdOf(b, tier), coverageOf(a, tier), coverageOf(b, tier)]),
  );
}

function factsOf({ decisions, fold }: ComparisonPageInput): readonly Fact[] {
  const { requests, workflows, total, only_in_a: onlyInA, only_in_b: onlyInB, not_scored: notScored } = decisions;
  return factList([
    ["Fold", fold.toUpperCase()],
    ["Requests on both sides", formatCount(requests)],
    ["Workflows and groups", formatCount(workflows)],
    ["Decided differently", formatCount(total.flips)],
    ["Better", formatCount(total.better)],
    ["Worse", formatCount(total.worse)],
    ["Left out", formatCount(onlyInA + onlyInB + notScored)],
  ]);
}

const digestRows = (side: string, { runSha256, calibrationSha256 }: ComparedSubject) => [
  [`${side}: run`, runSha256],
  [`${side}: calibration`, calibrationSha256 ?? "none"],
];

const outcomeWords = {
  a_better: "A better",
  b_better: "B better",
  tied: "no difference shown",
  not_shown: "no difference shown",
} as const;

function pointsText(difference: number): string {
  const points = (100 * Math.abs(difference)).toFixed(1);
  if (points === "0.0") return points;
  return `${difference < 0 ? "−" : "+"}${points}`;
}

const measureTable = ({ measures }: Comparison): ReportTable =>
  reportTable(
    "Measures of both sides; differences in percentage points with their 95% bands",
    ["Measure", num("A"), num("B"), num("B − A"), num("95% band"), num("p"), "Shown"],
    measures.map((measure) => [
      measureLabel(measure),
      formatCounts(measure.a),
      formatCounts(measure.b),
      measure.difference.value === null ? noData : pointsText(measure.difference.value),
      measure.band === null ? "none" : `${pointsText(measure.band.lower)} to ${pointsText(measure.band.upper)}`,
      measure.sign_flip === null ? "none" : formatPValue(measure.sign_flip.p_value),
      outcomeWords[measure.verdict],
    ]),
  );

const workflowTable = ({ by_workflow: byWorkflow }: Comparison): ReportTable =>
  reportTable(
    "Workflows whose requests are decided differently",
    ["Workflow", num("Requests"), num("Flips"), num("Better"), num("Worse")],
    byWorkflow.map(({ workflow_id: workflowId, requests, flips, better, worse }) => [
      workflowId ?? "(out of scope)",
      ...[requests, flips, better, worse].map(formatCount),
    ]),
  );

export function buildComparisonPage(input: ComparisonPageInput) {
  const { a, b, decisions, warnings, links = [] } = input;
  return {
    title: "Comparison of A and B",
    subtitle: `A: ${subjectText(a)}. B: ${subjectText(b)}.`,
    verdict: comparisonVerdict(decisions),
    facts: factsOf(input),
    warnings,
    measures: measureTable(decisions),
    buckets: bucketsOf(decisions.flips),
    workflows: workflowTable(decisions),
    slices: sliceChanges(a.evaluation, b.evaluation),
    promises: reportTable(
      "What each side promises",
      ["Side", "Promise"],
      [
        ["A", promiseText(a)],
        ["B", promiseText(b)],
      ],
    ),
    thresholds: thresholdTable(a, b),
    digests: reportTable(
      "Records behind this page",
      ["Record", "SHA-256"],
      [...digestRows("A", a), ...digestRows("B", b)],
    ),
    links,
  };
}

/** Everything that the page of one comparison shows, formatted; its JSON form. */
export type ComparisonPage = ReturnType<typeof buildComparisonPage>;
