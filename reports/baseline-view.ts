import {
  type AnswerMeasure,
  type BaselineComparison,
  isShare,
  type MeasuredAnswer,
  type PairedVerdict,
} from "../src/documents/baseline.js";
import {
  counted,
  formatCount,
  formatDifference,
  formatFixedPercent,
  formatInterval,
  formatProportion,
  formatPValue,
  formatShareDifference,
  formatShareInterval,
  noData,
} from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";

const labels: Readonly<Record<AnswerMeasure, string>> = {
  first_right: "First candidate right",
  recall_at_1: "Recall@1, whole catalog",
  recall_at_5: "Recall@5, whole catalog",
  recall_at_10: "Recall@10, whole catalog",
  auroc_near: "AUROC, near out of scope",
  auroc_far: "AUROC, far out of scope",
  coverage_at_90: "Coverage at 90% correct",
  coverage_at_95: "Coverage at 95% correct",
};

const verdicts = { a_better: "better", b_better: "worse", tied: "not shown", not_shown: "not shown" } as const;

export function baselineView(comparison: BaselineComparison) {
  return { sentence: whereItDoesNotWin(comparison), table: tableOf(comparison) };
}

function whereItDoesNotWin({ baseline, measures }: BaselineComparison): string {
  const known = measures.filter(({ difference }) => difference.measured.value !== null);
  const named = (...verdicts: readonly PairedVerdict[]) =>
    known.filter(({ verdict }) => verdicts.includes(verdict)).map(({ name }) => labels[name]);
  const [worse, tied] = [named("b_better"), named("tied", "not_shown")];
  if (worse.length + tied.length === 0) return `The run is better than ${baseline} on every measure.`;
  const opening = `The run does not beat ${baseline} on every measure: `;
  if (worse.length === 0) return `${opening}no difference is shown on ${tied.join("; ")}.`;
  const open = tied.length === 0 ? "" : ` No measurable difference: ${tied.join("; ")}.`;
  return `${opening}it is worse on ${worse.join("; ")}.${open}`;
}

function tableOf({ baseline, requests, in_scope: inScope, clusters, measures }: BaselineComparison): ReportTable {
  return reportTable(
    `The run compared with ${baseline}: ${counted(requests, "request")}, ${formatCount(inScope)} in scope, ` +
      counted(clusters, "cluster"),
    ["Measure ↑", num("Run"), num(baseline), num("Run minus baseline"), num("p"), "Result"],
    measures.map(({ name, a, b, difference, p_value: pValue, verdict }) => [
      labels[name],
      textOf(a, isShare(name)),
      textOf(b, isShare(name)),
      differenceText(difference, isShare(name)),
      pValue === null ? "" : formatPValue(pValue),
      difference.measured.value === null ? "" : verdicts[verdict],
    ]),
  );
}

function textOf({ measured: { value }, band }: MeasuredAnswer, share: boolean): string {
  if (value === null) return noData;
  const [format, interval] = share ? [formatFixedPercent, formatShareInterval] : [formatProportion, formatInterval];
  return band === null ? format(value) : `${format(value)} ${interval(band.lower, band.upper)}`;
}

function differenceText({ measured: { value }, band }: MeasuredAnswer, share: boolean): string {
  if (value === null) return noData;
  const signed = share ? formatShareDifference : formatDifference;
  return band === null ? signed(value) : `${signed(value)} [${signed(band.lower)}, ${signed(band.upper)}]`;
}
