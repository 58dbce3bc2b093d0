import { comparisonBlocks } from "../../../reports/comparison/comparison-blocks.js";
import { renderHtml } from "../../../reports/render-html.js";
import { renderMarkdown } from "../../../reports/render-markdown.js";
import { comparisonVerdict } from "../../../reports/comparison/comparison-verdict.js";
import type { Comparison } from "../../../src/documents/comparison.js";
import { assert, test } from "../../support/test.js";
import { aComparisonPage } from "./page-fixtures.js";

test("the verdict says where each side is better, and what is not established", () => {
  const { word, sentence, detail } = aComparisonPage().verdict;
  assert.is(word, "mixed");
  assert.is(
    sentence,
    "B is better in coverage. A is better in selective risk. No measurable difference: out-of-scope routed.",
  );
  assert.is(detail, "7 of 200 requests are decided differently: 4 better, 3 worse, 0 neither.");
});

test("sides that decide alike are equal, and differences that no test shows are not called better", () => {
  const none: Comparison = {
    requests: 9,
    workflows: 3,
    only_in_a: 0,
    only_in_b: 0,
    not_scored: 0,
    endings: [],
    total: { requests: 9, flips: 0, better: 0, worse: 0 },
    by_tier: [],
    by_workflow: [],
    measures: [],
    flips: [],
  };
  assert.is(comparisonVerdict(none).word, "equal");
  assert.is(comparisonVerdict({ ...none, total: { ...none.total, flips: 2, better: 2 } }).word, "no difference shown");
});

test("flips stand in buckets with their ids, worse ones first", async () => {
  const { buckets } = aComparisonPage();
  assert.equal(
    buckets.map(({ title, effect, flips }) => [title, effect, flips.map(({ id }) => id)]),
    [
      ["declined → routed wrong", "worse", ["line-1", "line-2", "line-3"]],
      ["declined → routed right", "better", ["line-4", "line-5", "line-6", "line-7"]],
    ],
  );
  const html = await renderHtml(comparisonBlocks(aComparisonPage()));
  for (const id of ["line-1", "line-7"]) assert.ok(html.includes(id), id);
});

test("groups of requests stand with the rates of both sides", () => {
  const low = aComparisonPage().slices.rows.find(([group]) => group === "tier: low");
  assert.equal(low?.slice(1, 2), ["50"]);
  const [before, after] = low?.[3]?.split(" → ").map(Number.parseFloat) ?? [];
  assert.ok((after ?? 0) > (before ?? 1), String(low));
});

test("equal models give equal bytes, and HTML and Markdown hold the same numbers", async () => {
  const html = await renderHtml(comparisonBlocks(aComparisonPage()));
  assert.is(await renderHtml(comparisonBlocks(aComparisonPage())), html);
  const markdown = renderMarkdown(comparisonBlocks(aComparisonPage()));
  for (const shown of ["60/200 = 30.00%", "+10.0", "line-3", "b".repeat(64)]) {
    assert.ok(html.includes(shown) && markdown.includes(shown), shown);
  }
  assert.not.match(html, /<script|src=|href="http/);
});
