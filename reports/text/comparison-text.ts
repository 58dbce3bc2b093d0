import type { DecidedSide, FlipCount, Comparison, Flip, PairedMeasure } from "../../src/documents/comparison.js";
import {
  counted,
  formatCount,
  formatDifference,
  formatShare,
  formatShareDifference,
  formatPValue,
  formatValue,
} from "../../src/documents/number-text.js";
import {
  type BaselineComparison,
  isShare,
  type MeasuredAnswer,
  type PairedVerdict,
} from "../../src/documents/baseline.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { intervalText } from "./evaluation-rows.js";

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
    `  left out  ${formatCount(onlyInA)} only in A, ${formatCount(onlyInB)} only in B, ${formatCount(notScored)} failed`,
    "",
    measureLine(["measure", "A", "B", "B - A", "95% band", "p (clusters)", "verdict"]),
    ...measures.map((measure) => measureLine(measureCells(measure))),
    "",
    ...verdictNotes,
    "  McNemar's test assumes independent requests; it is in --json only.",
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
  count > 0 ? [`  and ${formatCount(count)} more ${what}; --json has all`] : [];
const plain = (ending: string): string => ending.replace("_", " ");

const verdictNotes: readonly string[] = [
  '  Bands are from resampling clusters, p from sign flips. "Better" needs a band without 0, p <= .05, and at least 6 clusters.',
];

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
    name.replaceAll("_", " "),
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

/** Output lines of a comparison without thresholds. Differences are B - A, as in a comparison of decisions. */
export function describeRankings(
  { requests, clusters, measures }: BaselineComparison,
  { a, b }: { readonly a: Evaluation; readonly b: Evaluation },
): readonly string[] {
  return [
    `  requests  ${formatCount(requests)} of ${counted(clusters, "workflow")} and out-of-scope groups, scored by both`,
    "",
    measureLine(["measure", "A", "B", "B - A", "95% band", "p (clusters)", "verdict"]),
    ...measures.map((each) =>
      measureLine([
        each.name.replaceAll("_", " "),
        (isShare(each.name) ? formatShare : formatValue)(each.a.measured.value),
        (isShare(each.name) ? formatShare : formatValue)(each.b.measured.value),
        ...negated(each.difference, isShare(each.name) ? formatShareDifference : formatDifference),
        each.p_value === null ? "-" : formatPValue(each.p_value),
        verdictNames[each.verdict],
      ]),
    ),
    ...[a, b].map(
      (
        {
          detail: {
            curve: { aurc },
          },
        },
        side,
      ) => {
        const band = aurc.band === null ? "" : `  ${intervalText(aurc.band)}`;
        return `  aurc of ${side === 0 ? "A" : "B"} (lower is better)  ${formatValue(aurc.value)}${band}`;
      },
    ),
    "",
    ...verdictNotes,
    "  Coverage at 90 and 95: the largest share of requests that any threshold routes with 90 or 95% right,",
    "  chosen on these same requests. Requests are ordered by the confidence of each verifier.",
  ];
}

function negated(
  { measured: { value }, band }: MeasuredAnswer,
  format: (value: number | null) => string,
): readonly [string, string] {
  const turned = (x: number): number => (x === 0 ? 0 : -x);
  return [
    format(value === null ? null : turned(value)),
    band === null ? "" : `[${format(turned(band.upper))}, ${format(turned(band.lower))}]`,
  ];
}
