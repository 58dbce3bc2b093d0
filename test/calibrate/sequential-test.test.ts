import {
  atLeastAsGood,
  type DrawnCounts,
  drawsLeft,
  sequentialState,
  sequentialTest,
  sequentialUpperLimit,
  signingProbability,
  type SequentialTest,
} from "../../calibrate/sequential-test.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, near, test } from "../support/test.js";

const tenPercent = sequentialTest({ target: 0.1, delta: 0.05 }, 150);

/** The same probability over all sequences of outcomes, without the recursion. */
function signingByEnumeration(table: SequentialTest, risk: number, most: number): number {
  const from = (counts: DrawnCounts): number => {
    const state = counts.draws === 0 ? "open" : sequentialState(table, counts);
    if (state !== "open" || counts.draws === most) return state === "signed" ? 1 : 0;
    const next = counts.draws + 1;
    return (
      risk * from({ draws: next, wrong: counts.wrong + 1 }) + (1 - risk) * from({ draws: next, wrong: counts.wrong })
    );
  };
  return from({ draws: 0, wrong: 0 });
}

test("the tables of 10% and 5% are those of a second implementation in Python", () => {
  assert.equal(tenPercent.stops, [40, 59, 76, 91, 106, 121, 135, 148]);
  assert.equal(
    sequentialTest({ target: 0.05, delta: 0.05 }, 300).stops.slice(0, 7),
    [81, 120, 154, 185, 215, 244, 273],
  );
});

test("at a risk equal to the target, a test signs with a probability of at most delta, and wastes little of it", () => {
  for (const [target, delta, most] of [
    [0.1, 0.05, 150],
    [0.1, 0.04, 110],
    [0.1, 0.01, 200],
    [0.05, 0.04, 220],
    [0.02, 0.05, 700],
  ] as const) {
    const size = signingProbability(sequentialTest({ target, delta }, most), target);
    assert.ok(size <= delta, `${target}: ${size}`);
    assert.ok(size > 0.85 * delta, `${target}: ${size}`);
  }
});

test("of logs whose risk equals the target, both tests together sign at most 5%", () => {
  const tests = [sequentialTest({ target: 0.1, delta: 0.04 }, 110), sequentialTest({ target: 0.1, delta: 0.01 }, 200)];
  const random = seededRandom(55);
  const signs = (table: SequentialTest): boolean => {
    for (let [draws, wrong] = [1, 0]; ; draws += 1) {
      wrong += random.uniform() < 0.1 ? 1 : 0;
      const state = sequentialState(table, { draws, wrong });
      if (state !== "open") return state === "signed";
    }
  };
  const logs = 20_000;
  let signed = 0;
  for (let log = 0; log < logs; log += 1) signed += tests.some(signs) ? 1 : 0;
  assert.ok(signed / logs <= 0.05 + 3 * Math.sqrt((0.05 * 0.95) / logs), `${signed} of ${logs}`);
  assert.ok(signed / logs > 0.04, `${signed} of ${logs}`);
});

test("the probability of signing is the sum over all sequences of outcomes", () => {
  const table = { stops: [6, 11, 15] };
  for (const risk of [0.05, 0.2, 0.4]) {
    near(signingProbability(table, risk), signingByEnumeration(table, risk, 15), 1e-12);
  }
});

test("a test signs at its table and fails when no wrong route is left", () => {
  assert.is(sequentialState(tenPercent, { draws: 39, wrong: 0 }), "open");
  assert.is(sequentialState(tenPercent, { draws: 40, wrong: 0 }), "signed");
  assert.is(sequentialState(tenPercent, { draws: 40, wrong: 1 }), "open");
  assert.is(sequentialState(tenPercent, { draws: 60, wrong: 8 }), "failed");
  assert.equal(drawsLeft(tenPercent, { draws: 47, wrong: 1 }), { clean: 12, withOne: 29 });
  assert.equal(drawsLeft(tenPercent, { draws: 100, wrong: 7 }), { clean: 48, withOne: null });
});

test("the upper limit is at most the target exactly where the test signs", () => {
  for (const [wrong, draws] of tenPercent.stops.entries()) {
    assert.ok(sequentialUpperLimit(tenPercent, { draws, wrong }, 0.05) <= 0.1, `${wrong} of ${draws}`);
  }
  for (const draws of [8, 20, 60, 120]) {
    assert.ok(sequentialUpperLimit(tenPercent, { draws, wrong: 8 }, 0.05) > 0.1, `8 of ${draws}`);
  }
});

test("the outcomes of a test are ordered: earlier signatures are better, then later failures", () => {
  const values = [
    ...tenPercent.stops.map((draws, wrong) => atLeastAsGood(tenPercent, { draws, wrong }, 0.1)),
    ...[148, 90, 40, 8].map((draws) => atLeastAsGood(tenPercent, { draws, wrong: 8 }, 0.1)),
  ];
  assert.equal(
    values,
    values.toSorted((a, b) => a - b),
  );
  near(values.at(-1) ?? 0, 1, 1e-12);
});

test("too few draws make no test", () => {
  assert.equal(sequentialTest({ target: 0.1, delta: 0.05 }, 20).stops, []);
});
