import { matthewsCorrelation } from "../../../eval/stats/matthews.js";
import { assert, near, test } from "../../support/test.js";

const pairs = (truth: string, predicted: string) =>
  [...truth].map((each, i) => ({ truth: each, predicted: predicted[i] ?? "" }));

test("all right is 1, all swapped is -1", () => {
  near(matthewsCorrelation(pairs("aabb", "aabb")).value, 1, 1e-12);
  near(matthewsCorrelation(pairs("aabb", "bbaa")).value, -1, 1e-12);
});

test("two classes equal the textbook formula", () => {
  const [tp, tn, fp, fn] = [3, 4, 1, 2] as const;
  const truth = `${"a".repeat(tp + fn)}${"b".repeat(tn + fp)}`;
  const predicted = `${"a".repeat(tp)}${"b".repeat(fn)}${"b".repeat(tn)}${"a".repeat(fp)}`;
  const expected = (tp * tn - fp * fn) / Math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn));
  near(matthewsCorrelation(pairs(truth, predicted)).value, expected, 1e-12);
});

test("one class only, or no rows, leave it undefined", () => {
  assert.is(matthewsCorrelation(pairs("aaa", "aba")).null_reason, "ZERO_VARIANCE");
  assert.is(matthewsCorrelation(pairs("ab", "aa")).null_reason, "ZERO_VARIANCE");
  assert.is(matthewsCorrelation([]).null_reason, "EMPTY_DENOMINATOR");
});
