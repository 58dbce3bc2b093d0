import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fitRidgeHead, leftOutValue } from "../../../eval/left-out/leave-family-out.js";
import { type SeededRandom, seededRandom } from "../../../src/stats/seeded-random.js";
import { throws } from "../../support/rejects.js";

const test = suite("eval/left-out/leave-family-out");

/** Texts as random points: a kernel of their similarities with a ridge, and the kernel values of a request. */
function randomTask(random: SeededRandom, n: number) {
  const points = Array.from({ length: n + 1 }, () => Array.from({ length: 6 }, () => random.normal()));
  const kernel = (a: number, b: number): number =>
    Math.exp(-0.2 * (points[a] ?? []).reduce((sum, x, d) => sum + (x - (points[b]?.[d] ?? 0)) ** 2, 0));
  const ridge = (i: number): number => (i % 3 === 0 ? 0.1 : 1);
  const targets = Float64Array.from({ length: n }, (_, i) => (i % 3 === 0 ? 1 : 0));
  const matrixOf = (of: readonly number[]) =>
    Float64Array.from(of.flatMap((i) => of.map((j) => kernel(i, j) + (i === j ? ridge(i) : 0))));
  const valuesOf = (of: readonly number[]) => Float64Array.from(of, (i) => kernel(n, i));
  return { targets, matrixOf, valuesOf };
}

test("equals a refit without the family, whatever its size", () => {
  const random = seededRandom(3);
  for (const size of [0, 1, 2, 5, 11]) {
    for (let repetition = 0; repetition < 5; repetition += 1) {
      const n = 24;
      const all = Array.from({ length: n }, (_, i) => i);
      const { targets, matrixOf, valuesOf } = randomTask(random, n);
      const family = random.shuffle(all).slice(0, size);
      const rest = all.filter((i) => !family.includes(i));
      const refitted = fitRidgeHead(
        matrixOf(rest),
        Float64Array.from(rest, (i) => targets[i] ?? 0),
      );
      const values = valuesOf(rest);
      const expected = refitted.weights.reduce((sum, weight, i) => sum + weight * (values[i] ?? 0), 0);
      const found = leftOutValue(fitRidgeHead(matrixOf(all), targets), valuesOf(all), family);
      assert.ok(Math.abs(found - expected) < 1e-10, `${size}: ${found} and ${expected}`);
    }
  }
});

test("kernel values of left-out texts are not read", () => {
  const { targets, matrixOf, valuesOf } = randomTask(seededRandom(4), 10);
  const all = Array.from({ length: 10 }, (_, i) => i);
  const head = fitRidgeHead(matrixOf(all), targets);
  const values = valuesOf(all);
  const changed = values.slice().fill(1000, 2, 4);
  assert.is(leftOutValue(head, changed, [2, 3]), leftOutValue(head, values, [2, 3]));
});

test("a matrix that is no kernel is refused", () => {
  throws(() => fitRidgeHead(Float64Array.of(1, 2, 2, 1), Float64Array.of(1, 0)), "FIT_FAILED");
});

test.run();
