import fc from "fast-check";
import {
  applyCalibration,
  calibratedConfidence,
  leadingCandidates,
  marginOf,
  matchLogit,
} from "../../../../src/router/policy/apply-calibration.js";
import { assert, test } from "../../../support/test.js";
import { aScoredCandidate } from "../../../support/builders.js";

const identity = { slope: 1, intercept: 0 };

const cases: readonly (readonly [slope: number, intercept: number, z: number, confidence: number])[] = [
  [1, 0, 0, 0.5],
  [1, 0, Math.log(3), 0.75],
  [1, 0, -Math.log(3), 0.25],
  [0.5, 0, Math.log(9), 0.75],
  [2, 0, Math.log(3), 0.9],
  [1, Math.log(3), 0, 0.75],
  [0, 0, 100, 0.5],
  [1, 0, 1e6, 1],
  [1, 0, -1e6, 0],
  [1, 0, 1, 0.731059],
];

for (const [slope, intercept, z, confidence] of cases) {
  test(`sigma(${slope} x ${z} + ${intercept}) is ${confidence}`, () => {
    assert.is(calibratedConfidence({ slope, intercept }, z), confidence);
  });
}

test("both matching labels count against the mismatch", () => {
  const logits = { mismatch: Math.log(0.5), needs_input: Math.log(0.3), executable: Math.log(0.2) };
  assert.ok(Math.abs(matchLogit(logits)) < 1e-12);
  const swapped = { ...logits, needs_input: logits.executable, executable: logits.needs_input };
  assert.is(matchLogit(swapped), matchLogit(logits));
});

test("the match logit does not change when all logits move together", () => {
  const logits = { mismatch: 1, needs_input: -2, executable: 3 };
  const moved = { mismatch: 701, needs_input: 698, executable: 703 };
  assert.ok(Math.abs(matchLogit(moved) - matchLogit(logits)) < 1e-9);
  assert.ok(Math.abs(matchLogit(logits) - Math.log((Math.exp(-2) + Math.exp(3)) / Math.exp(1))) < 1e-12);
});

test("a margin is a deployable decimal", () => {
  assert.is(marginOf(0.9, 0.8), 0.1);
  assert.is(marginOf(0.3, 0.1), 0.2);
});

test("candidates come in the order of confidence, then retrieval score, then id", () => {
  const ranked = applyCalibration(identity, [
    aScoredCandidate({ workflow_id: "d", confidence: 0.5, retrieval_score: 0.2 }),
    aScoredCandidate({ workflow_id: "c", confidence: 0.5, retrieval_score: 0.2 }),
    aScoredCandidate({ workflow_id: "b", confidence: 0.5, retrieval_score: 0.3 }),
    aScoredCandidate({ workflow_id: "a", confidence: 0.6, retrieval_score: 0.1 }),
  ]);
  assert.equal(
    ranked.map((candidate) => candidate.workflow_id),
    ["a", "b", "c", "d"],
  );
});

test("a confidence has at most six decimals and lies in [0, 1]", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 5, noNaN: true }),
      fc.double({ min: -5, max: 5, noNaN: true }),
      fc.double({ min: -50, max: 50, noNaN: true }),
      (slope, intercept, z) => {
        const confidence = calibratedConfidence({ slope, intercept }, z);
        assert.ok(confidence >= 0 && confidence <= 1);
        assert.is(confidence, Number(confidence.toFixed(6)));
      },
    ),
  );
});

test("leading candidates are the first ones of the whole order", () => {
  const few = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(few, few, fc.boolean()), { maxLength: 6 }), (drawn) => {
      const candidates = drawn.map(([logit, score, eligible], i) =>
        aScoredCandidate({
          workflow_id: `flow.c${i}`,
          eligible,
          retrieval_score: score / 4,
          logits: { mismatch: 0, needs_input: -20, executable: logit },
        }),
      );
      const ranked = applyCalibration({ slope: 1, intercept: 0 }, candidates);
      const [top = null, second = null] = ranked.filter(({ eligible }) => eligible);
      const expected = { first: ranked[0] ?? null, top, second };
      assert.equal(leadingCandidates({ slope: 1, intercept: 0 }, candidates), expected);
    }),
  );
});
