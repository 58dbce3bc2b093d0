import type { Evaluation, SliceEvaluation } from "../../src/documents/evaluation.js";
import { counted, formatCount, formatTenthsPercent, formatUpper, noData } from "../../src/documents/number-text.js";
import type { Rate } from "../../src/documents/rate.js";
import { type ChartView, num, reportTable, type ReportTable } from "../blocks.js";
import type { LeverageData } from "../charts/leverage.js";
import type { DifferenceData, PairedDifference } from "../charts/paired-differences.js";
import type { HeatCell, HeatMapData } from "../charts/slice-heat-map.js";
import type { ComparedDecisions, ComparedMeasure } from "./compared.js";
import { measureLabel } from "./comparison-verdict.js";

const outcomes = {
  a_better: "A better",
  b_better: "B better",
  tied: "no difference shown",
  not_shown: "no difference shown",
} as const;

const shareText = ({ k, n, estimate }: Rate): string =>
  `${estimate === null ? noData : formatTenthsPercent(estimate)} (${formatCount(k)}/${formatCount(n)})`;

/** Formats a difference in percentage points with its sign. */
function pointsText(difference: number): string {
  const points = (100 * Math.abs(difference)).toFixed(1);
  if (points === "0.0") return points;
  return `${difference < 0 ? "−" : "+"}${points}`;
}

/** Table of every measure of both sides with its paired difference. */
export const measureTable = ({ measures }: ComparedDecisions): ReportTable =>
  reportTable(
    "Measures of both sides; differences in percentage points with their 95 % bands",
    ["Measure", num("A"), num("B"), num("B − A"), num("95 % band"), num("p"), "Shown"],
    measures.map((measure) => [
      measureLabel(measure),
      shareText(measure.a),
      shareText(measure.b),
      measure.difference.value === null ? noData : pointsText(measure.difference.value),
      measure.band === null ? "none" : `${pointsText(measure.band.lower)} to ${pointsText(measure.band.upper)}`,
      measure.sign_flip === null ? "none" : formatUpper(measure.sign_flip.p_value),
      outcomes[measure.verdict],
    ]),
  );

function drawn(measure: ComparedMeasure): readonly PairedDifference[] {
  const { difference, band, verdict } = measure;
  if (difference.value === null || band === null) return [];
  return [
    {
      measure: measureLabel(measure),
      difference: difference.value,
      lower: band.lower,
      upper: band.upper,
      outcome: outcomes[verdict],
    },
  ];
}

/** Chart of the paired differences with their bands. */
export function differenceView(compared: ComparedDecisions): ChartView<DifferenceData> {
  const rows = compared.measures.flatMap(drawn);
  return {
    title: "Differences with their bands",
    caption:
      "A band that crosses the vertical line shows no difference. Higher is better for coverage and for requests routed right, " +
      "lower is better for the others.",
    alt: `Differences between B and A: ${rows.map(({ measure, outcome }) => `${measure} ${outcome}`).join(", ")}.`,
    data: rows.length === 0 ? null : { rows },
    table: measureTable(compared),
  };
}

const drawnWorkflows = 12;

/** Chart of the workflows whose requests change, largest effect first. */
export function leverageView({ by_workflow: byWorkflow }: ComparedDecisions): ChartView<LeverageData> {
  const rows = byWorkflow
    .map(({ workflow_id: workflowId, requests, flips, better, worse }) => ({
      workflow: workflowId ?? "(out of scope)",
      requests,
      flips,
      better,
      worse,
    }))
    .sort(
      (x, y) =>
        Math.abs(y.better - y.worse) - Math.abs(x.better - x.worse) ||
        y.flips - x.flips ||
        (x.workflow < y.workflow ? -1 : 1),
    );
  const shown = rows.slice(0, drawnWorkflows).map(({ workflow, better, worse }) => ({ workflow, better, worse }));
  return {
    title: "Workflows by change",
    caption: `The ${formatCount(shown.length)} of ${formatCount(rows.length)} changed workflows with the largest effect.`,
    alt: `Requests that end better or worse: ${shown.map(({ workflow, better, worse }) => `${workflow} ${better} better, ${worse} worse`).join("; ")}.`,
    data: shown.length === 0 ? null : { rows: shown },
    table: reportTable(
      "Workflows whose requests are decided differently",
      ["Workflow", num("Requests"), num("Flips"), num("Better"), num("Worse")],
      rows.map(({ workflow, requests, flips, better, worse }) => [
        workflow,
        ...[requests, flips, better, worse].map(formatCount),
      ]),
    ),
  };
}

/** Measures of the heat map, with their direction of improvement and accessor. */
const heatMeasures = [
  { label: "Coverage", of: (slice: SliceEvaluation) => slice.coverage, higher: true },
  { label: "Risk", of: (slice: SliceEvaluation) => slice.selective_risk, higher: false },
  { label: "First right", of: (slice: SliceEvaluation) => slice.verified_top1, higher: true },
] as const;

const drawnSlices = 16;

const keyOf = ({ dimension, value }: SliceEvaluation): string => `${dimension}: ${value}`;

/** Groups that both sides have, largest first. Workflows are left out because they have a separate chart. */
function sharedSlices(a: Evaluation, b: Evaluation) {
  const other = new Map(b.detail.slices.map((slice) => [keyOf(slice), slice]));
  return a.detail.slices
    .filter(({ dimension }) => dimension !== "workflow")
    .flatMap((slice) => {
      const same = other.get(keyOf(slice));
      return same === undefined ? [] : [{ name: keyOf(slice), a: slice, b: same }];
    })
    .sort((x, y) => y.a.requests - x.a.requests || (x.name < y.name ? -1 : 1));
}

/** Heat map of the changes per group of requests. */
export function heatMapView(a: Evaluation, b: Evaluation): ChartView<HeatMapData> {
  const slices = sharedSlices(a, b);
  const cellsOf = (slice: (typeof slices)[number]): readonly HeatCell[] =>
    heatMeasures.map(({ label, of, higher }) => {
      const [before, after] = [of(slice.a).estimate, of(slice.b).estimate];
      const difference = before === null || after === null ? null : after - before;
      return { slice: slice.name, measure: label, difference, good: difference !== null && difference > 0 === higher };
    });
  const cells = slices.slice(0, drawnSlices).flatMap(cellsOf);
  return {
    title: "Groups of requests",
    caption:
      `The ${formatCount(Math.min(drawnSlices, slices.length))} largest of ${counted(slices.length, "group")}. Blue is ` +
      "better, orange is worse; a stronger colour is a larger difference. Individual cells are not tested.",
    alt: "Differences in coverage, risk and first candidate for each request group. The values are in the table below the chart.",
    data: cells.length === 0 ? null : { cells },
    table: reportTable(
      "Groups of requests: A → B",
      ["Group", num("Requests"), ...heatMeasures.map(({ label }) => num(label))],
      slices.map((slice) => [
        slice.name,
        formatCount(slice.a.requests),
        ...heatMeasures.map(({ of }) => `${estimateText(of(slice.a))} → ${estimateText(of(slice.b))}`),
      ]),
    ),
  };
}

const estimateText = ({ estimate }: Rate): string => (estimate === null ? "–" : formatTenthsPercent(estimate));
