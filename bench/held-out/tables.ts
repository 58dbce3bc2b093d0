import { compareAnswers } from "../../eval/baselines/compare-answers.js";
import { type AnswerMeasure, answerMeasures, type AnswerComparison } from "../../src/domain/baseline.js";
import type { RankedAnswer } from "../../eval/baselines/ranked-answer.js";
import type { SystemAnswers } from "./systems.js";

const labels: Readonly<Record<AnswerMeasure, string>> = {
  first_right: "top-1",
  recall_at_1: "recall@1",
  recall_at_5: "recall@5",
  recall_at_10: "recall@10",
  auroc_near: "AUROC near",
  auroc_far: "AUROC far",
  coverage_at_90: "coverage at 90 %",
  coverage_at_95: "coverage at 95 %",
};

const percent = (value: number | null): string => (value === null ? "-" : (100 * value).toFixed(1));
const signed = (value: number): string => `${value < 0 ? "-" : "+"}${(100 * Math.abs(value)).toFixed(1)}`;

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** `544 requests of 16 workflows in scope, 120 near and 48 far out of scope` */
export function countsOf({ answers }: SystemAnswers): string {
  const of = (wanted: RankedAnswer["scope"]) => answers.filter(({ scope }) => scope === wanted);
  const workflows = new Set(of("in_scope").map(({ cluster }) => cluster)).size;
  return (
    `${of("in_scope").length} requests of ${workflows} workflows in scope, ` +
    `${of("near_oos").length} near and ${of("far_oos").length} far out of scope`
  );
}

/** Every system's measures in percent, then every model minus every baseline in points. */
export function systemTable(systems: readonly SystemAnswers[]): readonly string[] {
  const models = systems.filter(({ retriever }) => retriever !== null);
  const baselines = systems.filter(({ retriever }) => retriever === null);
  return [
    line(["System", ...answerMeasures.map((name) => labels[name])]),
    line(["---", ...answerMeasures.map(() => "---")]),
    ...systems.map(({ name, answers }) => {
      const { measures } = compareAnswers(answers, answers, { baseline: name, resamples: 1 });
      return line([name, ...measures.map(({ a }) => percent(a.measured.value))]);
    }),
    ...models.flatMap((system) =>
      baselines.map((other) => {
        const { measures } = compareAnswers(system.answers, other.answers, { baseline: other.name });
        return line([`${system.name} - ${other.name}`, ...measures.map(differenceCell)]);
      }),
    ),
  ];
}

/** `+1.2 [0.3, 2.1]`; in bold where the system does not win. */
function differenceCell({ difference: { measured, band }, verdict }: AnswerComparison): string {
  if (measured.value === null || band === null) return "-";
  const text = `${signed(measured.value)} [${signed(band.lower)}, ${signed(band.upper)}]`;
  return verdict === "a_better" ? text : `**${text}**`;
}

export const verifierHeader: readonly string[] = [
  line(["Requests", "Models", "Retriever alone", "With verifier", "Difference in points", "p"]),
  line(["---", "---", "---", "---", "---", "---"]),
];

/** What the verifier adds to the first answer of its retriever, in scope, with the band over whole workflows. */
export function verifierLine(set: string, { name, answers, retriever }: SystemAnswers): string {
  const inScope = ({ scope }: RankedAnswer): boolean => scope === "in_scope";
  const alone = (retriever ?? []).filter(inScope);
  const { measures, requests, clusters } = compareAnswers(answers.filter(inScope), alone, { baseline: name });
  const found = measures.find((measure) => measure.name === "first_right");
  if (found === undefined) throw new RangeError("no measure of the first answer");
  const { a, b, pValue } = found;
  return line([
    `${set}: ${requests} requests, ${clusters} workflows`,
    name,
    percent(b.measured.value),
    percent(a.measured.value),
    differenceCell(found),
    pValue === null ? "-" : pValue < 0.0001 ? "< .0001" : pValue.toFixed(4),
  ]);
}
