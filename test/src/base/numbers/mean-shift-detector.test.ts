import { MeanShiftDetector } from "../../../../src/base/numbers/mean-shift-detector.js";
import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../../support/test.js";

/** Values until the statistic reaches the threshold; at most `limit`. */
function runLength(mean: number, threshold: number, seed: number, limit: number): number {
  const random = seededRandom(seed);
  const detector = new MeanShiftDetector(0.55, 0.65, threshold);
  for (let n = 1; n <= limit; n += 1) {
    detector.add(random.uniform() < mean ? 1 : 0);
    if (detector.statistic >= threshold) return n;
  }
  return limit;
}

const meanRun = (mean: number, threshold: number, limit: number, times = 40): number => {
  const runs = Array.from({ length: times }, (_, seed) => runLength(mean, threshold, seed + 1, limit));
  return runs.reduce((sum, run) => sum + run, 0) / runs.length;
};

test("inside the interval, its edges too, an alarm needs more than the threshold's number of values on average", () => {
  // The bound is met nearly with equality at an edge; 400 runs know their mean to about 5%.
  for (const mean of [0.55, 0.6, 0.65]) assert.ok(meanRun(mean, 500, 10_000, 400) > 425, String(mean));
});

test("a shift is found soon, and a larger one sooner, in both directions", () => {
  const small = meanRun(0.75, 1e6, 20_000);
  const large = meanRun(0.9, 1e6, 20_000);
  assert.ok(large < small && small < 1500, `${large} and ${small}`);
  assert.ok(meanRun(0.3, 1e6, 20_000) < 400);
});

test("fractions count as themselves", () => {
  const detector = new MeanShiftDetector(0.9, 1, 1e6);
  for (let i = 0; i < 2000; i += 1) detector.add(0.95);
  assert.ok(detector.statistic < 1e3);
  for (let i = 0; i < 2000; i += 1) detector.add(0.7);
  assert.ok(detector.statistic >= 1e6);
});

test("an interval that covers everything never raises the statistic", () => {
  const detector = new MeanShiftDetector(0, 1, 10);
  for (let i = 0; i < 1000; i += 1) detector.add(i % 2);
  assert.is(detector.statistic, 0);
});

test("a shift that is over is forgotten", () => {
  const detector = new MeanShiftDetector(0.4, 0.6, 1000);
  for (let i = 0; i < 5000; i += 1) detector.add(1);
  assert.ok(detector.statistic >= 1000 && detector.statistic <= 10_000);
  for (let i = 0; i < 5000; i += 1) detector.add(i % 2);
  assert.ok(detector.statistic < 200, String(detector.statistic));
});
