import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../../support/test.js";

const draws = (seed: number) => {
  const random = seededRandom(seed);
  return [random.uniform(), random.normal(), random.integer(1, 6), ...random.shuffle([1, 2, 3, 4, 5])];
};

test("the same seed gives the same stream, another seed another one", () => {
  assert.equal(draws(7), draws(7));
  assert.not.equal(draws(7), draws(8));
});

test("a shuffle permutes the items and does not change its argument", () => {
  const items = [1, 2, 3, 4, 5, 6, 7, 8];
  const shuffled = seededRandom(3).shuffle(items);
  assert.not.equal(shuffled, items);
  assert.equal(
    shuffled.toSorted((a, b) => a - b),
    items,
  );
});

test("every order of three items is about equally frequent", () => {
  const random = seededRandom(11);
  const seen = new Map<string, number>();
  for (let i = 0; i < 6000; i += 1) {
    const order = random.shuffle(["a", "b", "c"]).join("");
    seen.set(order, (seen.get(order) ?? 0) + 1);
  }
  assert.is(seen.size, 6);
  for (const count of seen.values()) assert.ok(Math.abs(count - 1000) < 150, `${count}`);
});

test("integers reach both ends", () => {
  const random = seededRandom(5);
  const rolls = new Set(Array.from({ length: 200 }, () => random.integer(1, 6)));
  assert.equal(
    [...rolls].toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6],
  );
});

test("normal draws have mean 0 and variance 1", () => {
  const random = seededRandom(13);
  const values = Array.from({ length: 20_000 }, () => random.normal());
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length;
  assert.ok(Math.abs(mean) < 0.03, `${mean}`);
  assert.ok(Math.abs(variance - 1) < 0.04, `${variance}`);
});
