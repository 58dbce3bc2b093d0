import { acceptingThreshold, auroc, falsePositiveRateAt, scoreTable } from "../../../eval/stats/roc.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

const table = (positives: readonly number[], negatives: readonly number[]) =>
  scoreTable(
    [...positives, ...negatives],
    [...positives, ...negatives].map((_, i) => i < positives.length),
  );

test("one tie in a pair of two has an area of 0.75", () => {
  assert.equal(auroc(table([1, 2], [1])), { value: 0.75, n: 3, null_reason: null });
});

test("an empty side leaves the area undefined", () => {
  assert.equal(auroc(table([], [1])), { value: null, n: 1, null_reason: "ONE_SIDE_EMPTY" });
});

test("a strictly increasing transform changes nothing", () => {
  const positives = [0.2, 0.9, 0.4, 0.4];
  const negatives = [0.1, 0.4, 0.8];
  const logit = (p: number) => Math.log(p / (1 - p));
  assert.equal(auroc(table(positives.map(logit), negatives.map(logit))), auroc(table(positives, negatives)));
});

test("FPR@95 with everything tied accepts everything", () => {
  const tied = falsePositiveRateAt(table([0.5, 0.5], [0.5]), 0.95);
  assert.is(tied.value, 1);
  assert.is(acceptingThreshold(table([], [0.5]), 0.95), null);
});

interface OutOfScopeCase {
  readonly in_scope: readonly number[];
  readonly oos: readonly number[];
  readonly auroc: number;
  readonly fpr_at_95tpr_in_positive: number;
  readonly threshold_at_95tpr: number;
}

testWithShared(test, "reference areas and false-positive rates are met", () => {
  const { cases: reference } = oracle<{ cases: readonly OutOfScopeCase[] }>("oos.json");
  assert.is(reference.length, 4);
  for (const c of reference) {
    const both = table(c.in_scope, c.oos);
    near(auroc(both).value, c.auroc, 1e-12);
    near(falsePositiveRateAt(both, 0.95).value, c.fpr_at_95tpr_in_positive, 1e-12);
    assert.is(acceptingThreshold(both, 0.95), c.threshold_at_95tpr);
  }
});
