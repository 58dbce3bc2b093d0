import { compareAnswers } from "../../../eval/baselines/compare-answers.js";
import type { RankedAnswer } from "../../../eval/baselines/ranked-answer.js";
import type { AnswerMeasure, BaselineComparison } from "../../../src/documents/baseline.js";
import { assert, test } from "../../support/test.js";

const workflows = 12;
const requestsEach = 10;
const outside = 30;

/** In scope the first `right` of ten requests of each workflow are right; out of scope is less sure the higher `gap` is. */
function answers(right: number, gap: number): readonly RankedAnswer[] {
  const inScope = Array.from({ length: workflows * requestsEach }, (_, row): RankedAnswer => {
    const place = row % requestsEach;
    const isRight = place < right;
    const score = 1 + gap * Number(isRight) + place / 100;
    const cluster = `workflow:${Math.floor(row / requestsEach)}`;
    return { id: `in-${row}`, cluster, scope: "in_scope", right: isRight, goldRank: isRight ? 1 : 4, score };
  });
  const others = Array.from({ length: outside }, (_, row): RankedAnswer => {
    const scope = row % 3 === 0 ? "near_oos" : "far_oos";
    return {
      id: `out-${row}`,
      cluster: `row:${row}`,
      scope,
      right: false,
      goldRank: null,
      score: 1 + (row % 10) / 100,
    };
  });
  return [...inScope, ...others];
}

const of = ({ measures }: BaselineComparison, name: AnswerMeasure) => {
  const found = measures.find((measure) => measure.name === name);
  if (found === undefined) throw new RangeError(name);
  return found;
};

test("shares, areas and coverages are those of counting", () => {
  const comparison = compareAnswers(answers(8, 1), answers(5, 0), { baseline: "B", resamples: 200 });
  assert.is(comparison.requests, 150);
  assert.is(comparison.in_scope, 120);
  assert.is(comparison.clusters, workflows + outside);
  assert.is(of(comparison, "first_right").a.measured.value, 0.8);
  assert.is(of(comparison, "recall_at_1").b.measured.value, 0.5);
  assert.is(of(comparison, "recall_at_5").b.measured.value, 1);
  // All 96 right ones are surest; ten more requests may be wrong at 90%.
  assert.is(of(comparison, "coverage_at_95").a.measured.value, 96 / 150);
  // 96 right ones win against every far request; the 24 others beat those that end in a lower digit.
  const wins = [8, 9].map((place) =>
    Array.from({ length: outside }, (_, row) => row)
      .filter((row) => row % 3 !== 0)
      .reduce((sum, row) => sum + (place > row % 10 ? 1 : place === row % 10 ? 0.5 : 0), 0),
  );
  const expected = (96 * 20 + 12 * (wins[0] ?? 0) + 12 * (wins[1] ?? 0)) / (120 * 20);
  assert.ok(Math.abs((of(comparison, "auroc_far").a.measured.value ?? 0) - expected) < 1e-12);
});

test("a side that is right in more requests of every workflow is better, with a band and a small p", () => {
  const found = of(compareAnswers(answers(8, 1), answers(5, 0), { baseline: "B", resamples: 400 }), "first_right");
  assert.is(found.verdict, "a_better");
  assert.ok(Math.abs((found.difference.measured.value ?? 0) - 0.3) < 1e-12);
  assert.ok((found.difference.band?.lower ?? 0) > 0.29);
  assert.ok((found.p_value ?? 1) < 0.001);
  const turned = of(compareAnswers(answers(5, 0), answers(8, 1), { baseline: "B", resamples: 400 }), "first_right");
  assert.is(turned.verdict, "b_better");
});

test("equal sides tie in every measure, whatever the order of the second one", () => {
  const same = answers(6, 0.5);
  const { measures } = compareAnswers(same, same.toReversed(), { baseline: "B", resamples: 100 });
  for (const { name, difference, verdict, p_value: pValue } of measures) {
    assert.is(difference.measured.value, 0, name);
    assert.is(verdict, "tied", name);
    assert.ok(pValue === null || pValue === 1, name);
  }
});

test("differences that one workflow makes alone are not shown", () => {
  const one = answers(5, 0);
  const better = one.map((answer) => (answer.cluster === "workflow:0" ? { ...answer, right: true } : answer));
  assert.is(of(compareAnswers(better, one, { baseline: "B" }), "first_right").verdict, "tied");
});

test("without far requests their area is undefined with a reason, not 0", () => {
  const near = answers(8, 1).filter(({ scope }) => scope !== "far_oos");
  const found = of(compareAnswers(near, near, { baseline: "B", resamples: 50 }), "auroc_far");
  assert.is(found.a.measured.value, null);
  assert.is(found.a.measured.null_reason, "EMPTY_DENOMINATOR");
  assert.is(found.difference.band, null);
});

test("answers to other requests are refused", () => {
  const one = answers(8, 1);
  const other = one.map((answer, row) => (row === 0 ? { ...answer, id: "unknown" } : answer));

  for (const b of [one.slice(1), other, []]) {
    assert.throws(
      () => compareAnswers(one, b, { baseline: "B" }),
      (error: { code: string }) => error.code === "DOCUMENT_INVALID",
    );
  }
});
