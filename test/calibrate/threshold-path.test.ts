import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { learnThresholdPath } from "../../calibrate/threshold-path.js";

const test = suite("calibrate/threshold-path");

const row = (confidence: number, margin: number, error: boolean) => ({ confidence, margin, error });
const anyRow = fc.record({
  confidence: fc.integer({ min: 0, max: 1_000_000 }).map((n) => n / 1e6),
  margin: fc.integer({ min: 0, max: 1_000_000 }).map((n) => n / 1e6),
  error: fc.boolean(),
});

test("no rows give no path", () => {
  assert.equal(learnThresholdPath([]), []);
});

test("errors at low confidence are avoided by the confidence alone", () => {
  const rows = [row(0.9, 0.5, false), row(0.8, 0.5, false), row(0.7, 0.5, false), row(0.2, 0.5, true)];
  assert.equal(learnThresholdPath(rows, 4), [
    { confidence: 0.9, margin: 0 },
    { confidence: 0.8, margin: 0 },
    { confidence: 0.7, margin: 0 },
    { confidence: 0.2, margin: 0 },
  ]);
});

test("errors with a small margin are avoided by the margin", () => {
  const rows = [row(0.6, 0.5, false), row(0.7, 0.5, false), row(0.9, 0.001, true), row(0.95, 0.002, true)];
  assert.equal(learnThresholdPath(rows, 4), [
    { confidence: 0.7, margin: 0.01 },
    { confidence: 0.6, margin: 0.01 },
    { confidence: 0.6, margin: 0 },
  ]);
});

test("a confidence just below a threshold does not reach it", () => {
  const path = learnThresholdPath([row(0.57, 1, false), row(0.569999, 1, false)], 2);
  assert.equal(
    path.map((point) => point.confidence),
    [0.57, 0.569],
  );
});

test("the last point routes everything and the path is at most as long as the ladder", () => {
  fc.assert(
    fc.property(fc.array(anyRow, { minLength: 1, maxLength: 200 }), (rows) => {
      const path = learnThresholdPath(rows);
      const last = path.at(-1);
      assert.ok(path.length <= 100);
      assert.ok(rows.every((r) => r.confidence >= (last?.confidence ?? 2) && r.margin >= (last?.margin ?? 2)));
    }),
    { seed: 5, numRuns: 100 },
  );
});

test("along the path both thresholds never rise, so accepted requests and errors never fall", () => {
  fc.assert(
    fc.property(
      fc.array(anyRow, { minLength: 1, maxLength: 200 }),
      fc.array(anyRow, { maxLength: 100 }),
      (rows, others) => {
        const path = learnThresholdPath(rows);
        let before = { confidence: 2, margin: 2, accepted: 0, errors: 0 };
        for (const point of path) {
          const accepted = others.filter((r) => r.confidence >= point.confidence && r.margin >= point.margin);
          const errors = accepted.filter((r) => r.error).length;
          assert.ok(point.confidence <= before.confidence && point.margin <= before.margin);
          assert.ok(point.confidence < before.confidence || point.margin < before.margin);
          assert.ok(accepted.length >= before.accepted && errors >= before.errors);
          before = { ...point, accepted: accepted.length, errors };
        }
      },
    ),
    { seed: 5, numRuns: 100 },
  );
});

test("the order of the rows changes nothing", () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 80 }), (rows) => {
      assert.equal(learnThresholdPath([...rows].reverse()), learnThresholdPath(rows));
    }),
    { seed: 1, numRuns: 50 },
  );
});

test("thresholds are decimals with at most 3 digits", () => {
  const path = learnThresholdPath([row(0.123456, 0.3, false), row(0.987654, 0.05, true), row(0.5, 0.2, false)]);
  for (const { confidence, margin } of path) {
    assert.is(Number(confidence.toFixed(3)), confidence);
    assert.is(Number(margin.toFixed(3)), margin);
  }
});

test.run();
