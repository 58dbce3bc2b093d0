import { suite } from "uvu";
import * as assert from "uvu/assert";
import { auroc } from "../../../src/stats/roc.js";
import { near, oracle } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";

const test = suite("src/stats/roc");

const cases = [
  { name: "separated scores", positives: [3, 2], negatives: [1, 0], value: 1 },
  { name: "reversed scores", positives: [0, 1], negatives: [2, 3], value: 0 },
  { name: "equal scores", positives: [1, 1, 1], negatives: [1, 1], value: 0.5 },
  { name: "one tie in a pair of two", positives: [1, 2], negatives: [1], value: 0.75 },
];
for (const { name, positives, negatives, value } of cases) {
  test(`${name} have an area of ${value}`, () => {
    assert.equal(auroc(positives, negatives), {
      value,
      n: positives.length + negatives.length,
      nullReason: null,
    });
  });
}

test("an empty side leaves the area undefined", () => {
  assert.equal(auroc([], [1]), { value: null, n: 1, nullReason: "EMPTY_DENOMINATOR" });
  assert.is(auroc([1], []).value, null);
});

test("a strictly increasing transform changes nothing", () => {
  const positives = [0.2, 0.9, 0.4, 0.4];
  const negatives = [0.1, 0.4, 0.8];
  const logit = (p: number) => Math.log(p / (1 - p));
  assert.equal(auroc(positives.map(logit), negatives.map(logit)), auroc(positives, negatives));
});

testWithShared(test, "reference areas are met", () => {
  const { cases: reference } = oracle<{
    cases: readonly { in_scope: readonly number[]; oos: readonly number[]; auroc: number }[];
  }>("oos.json");
  assert.is(reference.length, 4);
  for (const c of reference) near(auroc(c.in_scope, c.oos).value, c.auroc, 1e-12);
});

test.run();
