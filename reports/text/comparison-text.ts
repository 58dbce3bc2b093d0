import type { DecidedSide, FlipCount, Comparison, Flip, PairedMeasure } from "../../src/documents/comparison.js";
import {
  counted,
  formatCount,
  formatShare,
  formatShareDifference,
  formatPValue,
} from "../../src/documents/number-text.js";
import { measureLabel } from "../comparison/comparison-verdict.js";
import type { PairedVerdict } from "../../src/documents/baseline.js";

interface DescribeComparisonOptions {
  /** Request texts by id, shown with the flips; null: no texts. */
  readonly texts: ReadonlyMap<string, string> | null;
  /** Maximum number of listed flips. */
  readonly mostFlips: number;
}

/** Output lines of `eval compare`: measures of both sides; flips by kind, tier and workflow; and the flips. */
export function describeComparison(comparison: Comparison, options: DescribeComparisonOptions): readonly string[] {
  const {
    requests,
    workflows,
    only_in_a: onlyInA,
    only_in_b: onlyInB,
    not_scored: notScored,
    measures,
    endings,
  } = comparison;
  return [
    `  requests  ${formatCount(requests)} of ${counted(workflows, "workflow")} and out-of-scope groups, decided by both`,
    `  left out  ${counted(onlyInA, "request")} that run B lacks, ${formatCount(onlyInB)} that run A lacks, ${formatCount(notScored)} that failed`,
    "",
    measureLine(["measure", "A", "B", "B - A", "95% band", "p (clusters)", "verdict"]),
    ...measures.map((measure) => measureLine(measureCells(measure))),
    "",
    '  Bands are from resampling clusters, p from sign flips. "Better" needs a band without 0, p <= .05, and at least 6 clusters.',
    "",
    `  ${"from A to B".padEnd(32)}${"requests".padStart(10)}`,
    ...endings.map(
      ({ a, b, requests: count }) => `  ${`${plain(a)} → ${plain(b)}`.padEnd(32)}${formatCount(count).padStart(10)}`,
    ),
    "",
    flipLine("decided differently", ["requests", "flips", "better", "worse"]),
    flipLine("all", flipCells(comparison.total)),
    ...comparison.by_tier.map((each) => flipLine(`tier ${each.tier}`, flipCells(each))),
    ...comparison.by_workflow
      .slice(0, mostWorkflows)
      .map((each) => flipLine(each.workflow_id ?? "(out of scope)", flipCells(each))),
    ...more(comparison.by_workflow.length - mostWorkflows, "workflows"),
    ...(comparison.flips.length === 0 || options.mostFlips === 0 ? [] : [""]),
    ...comparison.flips.slice(0, options.mostFlips).flatMap((flip) => flipLines(flip, options.texts)),
    ...(options.mostFlips === 0 ? [] : more(comparison.flips.length - options.mostFlips, "flips")),
  ];
}

const mostWorkflows = 10;

const more = (count: number, what: string): readonly string[] =>
  count > 0 ? [`  ${formatCount(count)} more ${what} (use --json)`] : [];
const plain = (ending: string): string => ending.replace("_", " ");

function measureCells({
  name,
  a,
  b,
  difference,
  band,
  sign_flip: signFlip,
  verdict,
}: PairedMeasure): readonly string[] {
  return [
    measureLabel({ name }),
    formatShare(a.estimate),
    formatShare(b.estimate),
    formatShareDifference(difference.value),
    band === null ? "" : `[${formatShareDifference(band.lower)}, ${formatShareDifference(band.upper)}]`,
    signFlip === null ? "-" : formatPValue(signFlip.p_value),
    verdictNames[verdict],
  ];
}

const verdictNames: Readonly<Record<PairedVerdict, string>> = {
  a_better: "A better",
  b_better: "B better",
  tied: "tied",
  not_shown: "not shown",
};

function measureLine([name = "", ...cells]: readonly string[]): string {
  const widths = [10, 10, 11, 25, 14, 11];
  return `  ${name.padEnd(20)}${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join("")}`.trimEnd();
}

const flipCells = ({ requests, flips, better, worse }: FlipCount): readonly string[] =>
  [requests, flips, better, worse].map(formatCount);

function flipLine(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(36)}${cells.map((cell) => cell.padStart(10)).join("")}`;
}

function flipLines(
  { id, effect, workflow_id: workflowId, a, b }: Flip,
  texts: DescribeComparisonOptions["texts"],
): readonly string[] {
  const text = texts?.get(id);
  return [
    `  ${effect.padEnd(8)}${id}  gold ${workflowId ?? "(out of scope)"}`,
    `          A ${sideText(a)}`,
    `          B ${sideText(b)}`,
    ...(text === undefined ? [] : [`          ${JSON.stringify(text)}`]),
  ];
}

function sideText({ ending, workflow_id: workflowId, reason_code: reasonCode, confidence }: DecidedSide): string {
  const target = workflowId === null ? "" : ` ${workflowId}`;
  return `${plain(ending)}${target}, ${reasonCode}, confidence ${confidence}`;
}
