import {
  counted,
  formatCount,
  formatDifference,
  formatShare,
  formatShareDifference,
  formatUpper,
  formatValue,
} from "../src/documents/number-text.js";
import { type BaselineComparison, isShare, type MeasuredAnswer } from "../src/documents/baseline.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { measureLine, verdictNames, verdictNotes } from "./compare-describe.js";
import { intervalText } from "./evaluation-rows.js";

/** The lines of a comparison without thresholds. Differences are B minus A, as in a comparison of decisions. */
export function describeRankings(
  { requests, clusters, measures }: BaselineComparison,
  { a, b }: { readonly a: Evaluation; readonly b: Evaluation },
): readonly string[] {
  return [
    `  requests  ${formatCount(requests)} of ${counted(clusters, "workflow")} and out-of-scope groups, scored by both`,
    "",
    measureLine(["measure", "A", "B", "B - A", "95 % band", "p (clusters)", "verdict"]),
    ...measures.map((each) =>
      measureLine([
        each.name.replaceAll("_", " "),
        (isShare(each.name) ? formatShare : formatValue)(each.a.measured.value),
        (isShare(each.name) ? formatShare : formatValue)(each.b.measured.value),
        ...negated(each.difference, isShare(each.name) ? formatShareDifference : formatDifference),
        each.p_value === null ? "-" : formatUpper(each.p_value),
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
    "  Coverage at 90 and 95: the largest share of requests that any threshold routes with 90 or 95 % right,",
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
