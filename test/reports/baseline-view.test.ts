import { evaluationBlocks } from "../../reports/evaluation-blocks.js";
import { renderHtml } from "../../reports/render-html.js";
import { renderMarkdown } from "../../reports/render-markdown.js";
import { baselineView } from "../../reports/baseline-view.js";
import { buildReportModel } from "../../reports/view-model.js";
import type { AnswerComparison, AnswerMeasure, BaselineComparison } from "../../src/documents/baseline.js";
import { assert, test } from "../support/test.js";
import { aReportInput } from "./an-evaluation.js";

const side = (value: number, lower: number, upper: number) => ({
  measured: { value, n: 712, null_reason: null },
  band: { method: "cluster-bootstrap", confidence: 0.95, lower, upper, resamples: 2000, dropped: 0 } as const,
});

const measure = (name: AnswerMeasure, verdict: AnswerComparison["verdict"]): AnswerComparison => ({
  name,
  a: side(0.7151, 0.6568, 0.7726),
  b: side(0.5882, 0.5113, 0.6667),
  difference: side(-0.0515, -0.1111, 0.0029),
  p_value: name === "first_right" ? 0.00001 : null,
  verdict,
});

const comparedWith = (baseline: string, measures: readonly AnswerComparison[]): BaselineComparison => {
  return { baseline, requests: 1712, in_scope: 544, clusters: 58, measures };
};

test("one plain sentence says where the run does not win", () => {
  const sentenceOf = (...measures: readonly AnswerComparison[]) =>
    baselineView(comparedWith("BM25", measures)).sentence;
  assert.is(
    sentenceOf(measure("first_right", "a_better"), measure("recall_at_5", "b_better"), measure("auroc_far", "tied")),
    "The run does not beat BM25 on every measure: it is worse on Recall@5, whole catalog. No measurable difference: AUROC, far out of scope.",
  );
  assert.is(sentenceOf(measure("first_right", "a_better")), "The run is better than BM25 on every measure.");
});

test("a measure without requests is neither won nor lost", () => {
  const undefinedSide = { measured: { value: null, n: 0, null_reason: "EMPTY_DENOMINATOR" }, band: null };
  const none = { ...measure("auroc_near", "tied"), a: undefinedSide, b: undefinedSide, difference: undefinedSide };
  const { sentence, table } = baselineView(comparedWith("BM25", [measure("first_right", "a_better"), none]));
  assert.match(sentence, "is better than BM25 on every measure");
  assert.equal(table.rows[1], ["AUROC, near out of scope", "no data", "no data", "no data", "", ""]);
});

test("rows hold both sides, the signed difference with its band, and p", () => {
  const { table } = baselineView(comparedWith("BM25", [measure("first_right", "b_better")]));
  assert.equal(table.rows, [
    [
      "First candidate right",
      "71.51% [65.68%, 77.26%]",
      "58.82% [51.13%, 66.67%]",
      "-5.15 pp [-11.11 pp, +0.29 pp]",
      "< 0.0001",
      "worse",
    ],
  ]);
  assert.match(table.caption, "1,712 requests, 544 in scope, 58 clusters");
});

test("page and Markdown show the sentence and the table", async () => {
  const baseline = comparedWith("BM25", [measure("first_right", "tied")]);
  const model = buildReportModel(aReportInput({ baseline }));
  for (const page of [await renderHtml(evaluationBlocks(model)), renderMarkdown(evaluationBlocks(model))]) {
    assert.match(page, "no difference is shown on First candidate right.");
    assert.match(page, "The run compared with BM25");
    assert.match(page, "71.51% [65.68%, 77.26%]");
  }
});

test("a report without a baseline says that there is no data", async () => {
  assert.match(await renderHtml(evaluationBlocks(buildReportModel(aReportInput()))), "No data: no baseline was run.");
});
