import type { BaselineComparison, MeasuredAnswer } from "../src/domain/baseline.js";
import type { DetailedEvaluation } from "../src/domain/evaluation.js";
import { measureLine, shownP, signed, verdictNames, verdictNotes } from "./compare-describe.js";
import { grouped, intervalText, valueText } from "./evaluation-rows.js";

/** The lines of a comparison without thresholds. Differences are B minus A, as in a comparison of decisions. */
export function describeRankings(
  { requests, clusters, measures }: BaselineComparison,
  { a, b }: { readonly a: DetailedEvaluation; readonly b: DetailedEvaluation },
): readonly string[] {
  return [
    `  requests  ${grouped(requests)} of ${grouped(clusters)} workflows and out-of-scope groups, scored by both`,
    "",
    measureLine(["measure", "A", "B", "B - A", "95 % band", "p (clusters)", "verdict"]),
    ...measures.map((each) =>
      measureLine([
        each.name.replaceAll("_", " "),
        valueText(each.a.measured.value),
        valueText(each.b.measured.value),
        ...negated(each.difference),
        each.pValue === null ? "-" : shownP(each.pValue),
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
        return `  aurc of ${side === 0 ? "A" : "B"} (lower is better)  ${valueText(aurc.value)}${band}`;
      },
    ),
    "",
    ...verdictNotes,
    "  Coverage at 90 and 95: the largest share of requests that some threshold routes with 90 and 95 % right,",
    "  chosen on these very requests. Requests are ordered by the confidence of each verifier itself.",
  ];
}

function negated({ measured: { value }, band }: MeasuredAnswer): readonly [string, string] {
  const turned = (x: number): number => (x === 0 ? 0 : -x);
  return [
    signed(value === null ? null : turned(value)),
    band === null ? "" : `[${signed(turned(band.upper))}, ${signed(turned(band.lower))}]`,
  ];
}
