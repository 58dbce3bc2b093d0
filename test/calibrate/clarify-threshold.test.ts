import { learnClarifyThreshold } from "../../calibrate/fit-calibration.js";
import { perTier } from "../../calibrate/per-tier.js";
import { assert, test } from "../support/test.js";
import { candidate, record } from "./synthetic-records.js";

const thresholds = {
  calibrator: { slope: 1, intercept: 0 },
  tiers: perTier(() => ({ confidence: 0.5, margin: 0 })),
  min_retrieval_score: 0,
};

/** A request with a missing input whose first candidate has this confidence. */
function question(id: string, confidence: number, right: boolean) {
  const z = Math.log(confidence / (1 - confidence));
  return record(id, [candidate(right ? "flow.gold" : "flow.b", z, { missing_inputs: ["case"] })]);
}
const many = (count: number, confidence: number, right: boolean) =>
  Array.from({ length: count }, (_, i) => question(`${confidence}-${right}-${i}`, confidence, right));

test("the smallest confidence at which questions are precise enough", () => {
  const records = [...many(30, 0.9, true), ...many(20, 0.6, true), ...many(40, 0.3, false)];
  assert.is(learnClarifyThreshold(records, thresholds), 0.6);
});

test("too few questions for a reliable choice yield none", () => {
  assert.is(learnClarifyThreshold(many(5, 0.9, true), thresholds), 1);
  assert.is(learnClarifyThreshold(many(6, 0.9, true), thresholds), 0.9);
  assert.is(learnClarifyThreshold([], thresholds), 1);
});

test("a question where nothing is missing by its label is wrong", () => {
  const complete = many(30, 0.9, true).map((r) => ({ ...r, expected_missing: [] }));
  assert.is(learnClarifyThreshold(complete, thresholds), 1);
});

test("questions that the margin of the tier stops are not counted", () => {
  const close = many(30, 0.6, true).map((r) => ({ ...r, candidates: [...r.candidates, candidate("flow.near", 0.3)] }));
  const strict = { ...thresholds, tiers: perTier(() => ({ confidence: 0.5, margin: 0.4 })) };
  assert.is(learnClarifyThreshold(close, thresholds), 0.6);
  assert.is(learnClarifyThreshold(close, strict), 1);
});

test("requests that are complete do not count", () => {
  const routed = many(30, 0.9, true).map((r) => ({ ...r, candidates: [candidate("flow.gold", 2)] }));
  assert.is(learnClarifyThreshold(routed, thresholds), 1);
});

test("the wanted precision and its confidence can be chosen", () => {
  const records = many(5, 0.9, true);
  assert.is(learnClarifyThreshold(records, thresholds, { precision: 0.5 }), 0.9);
  assert.is(learnClarifyThreshold(records, thresholds, { precision: 0.5, confidence: 0.99 }), 1);
});
