import fc from "fast-check";
import type { WorkflowId } from "../../../src/domain/primitives.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { riskTiers } from "../../../src/domain/choices.js";
import type { ScoredCandidate } from "../../../src/domain/decision.js";
import { decide, type DecisionThresholds } from "../../../src/policy/decide.js";
import {
  confidenceTolerance,
  decisionSlack,
  isSettled,
  retrievalTolerance,
} from "../../../src/policy/decision-slack.js";
import { aCalibration, aScoredCandidate, logitsOf } from "../../support/builders.js";

const test = suite("src/policy/decision-slack");

const calibration = aCalibration();
const slackOf = (...candidates: readonly ScoredCandidate[]) => decisionSlack(candidates, calibration);
const near = (found: number, expected: number): void => {
  assert.ok(found === expected || Math.abs(found - expected) < 1e-9, `found ${found}, expected ${expected}`);
};
const first = (overrides: Parameters<typeof aScoredCandidate>[0] = {}) =>
  aScoredCandidate({ workflowId: "first", ...overrides });
const second = (confidence: number, overrides: Partial<ScoredCandidate> = {}) =>
  aScoredCandidate({ workflowId: "second", confidence, ...overrides });

test("a routed candidate may lose as much as lies between it and its threshold", () => {
  near(slackOf(first({ confidence: 0.65 })).confidence, 0.05);
  near(slackOf(first({ confidence: 0.6 })).confidence, 0);
});

test("a candidate under its threshold may gain as much as it lacks", () => {
  near(slackOf(first({ confidence: 0.52 })).confidence, 0.08);
});

test("of a margin half counts, because two confidences move", () => {
  near(slackOf(first({ confidence: 0.9 }), second(0.7)).confidence, 0.05);
  near(slackOf(first({ confidence: 0.9 }), second(0.84)).confidence, 0.02);
});

test("a sentinel counts from both sides", () => {
  near(slackOf(first({ confidence: 0.8 }), second(0.78, { eligible: false })).confidence, 0.01);
  near(slackOf(first({ confidence: 0.8 }), second(0.86, { eligible: false })).confidence, 0.03);
});

test("two unlikely candidates may change places: neither is routed", () => {
  near(slackOf(first({ confidence: 0.1 }), second(0.09)).confidence, 0.5);
});

test("two candidates that abstain or time out have no slack to lose", () => {
  const abstaining: DecisionThresholds = {
    ...calibration,
    tiers: { ...calibration.tiers, low: { confidence: null, margin: null } },
  };
  assert.is(decisionSlack([first(), second(0.89)], abstaining).confidence, Number.POSITIVE_INFINITY);
  const late = slackOf(first({ inputTimeout: true }), second(0.89, { inputTimeout: true }));
  assert.is(late.confidence, Number.POSITIVE_INFINITY);
});

test("asking back counts to the threshold for asking back", () => {
  near(slackOf(first({ confidence: 0.53, missingInputs: ["a"] })).confidence, 0.03);
  near(slackOf(first({ confidence: 0.46, missingInputs: ["a"] })).confidence, 0.04);
});

test("retrieval counts to the floor; under it no confidence matters", () => {
  near(slackOf(first({ retrievalScore: 0.08 })).retrieval, 0.03);
  const under = slackOf(first({ retrievalScore: 0.03 }));
  near(under.retrieval, 0.02);
  assert.is(under.confidence, Number.POSITIVE_INFINITY);
});

test("without an eligible candidate nothing matters", () => {
  const nothing = { confidence: Number.POSITIVE_INFINITY, retrieval: Number.POSITIVE_INFINITY };
  assert.equal(slackOf(), nothing);
  assert.equal(slackOf(second(0.9, { eligible: false })), nothing);
});

test("scores are settled at the tolerances, and not just under them", () => {
  const enough = { confidence: confidenceTolerance, retrieval: retrievalTolerance };
  assert.is(isSettled(enough, null), true);
  assert.is(isSettled(enough, 2 * retrievalTolerance), true);
  assert.is(isSettled(enough, 1.9 * retrievalTolerance), false);
  assert.is(isSettled({ ...enough, confidence: 0.9e-3 }, null), false);
  assert.is(isSettled({ ...enough, retrieval: 0.9e-4 }, null), false);
});

/** Confidences in millionths, on a grid of hundredths, so that ties and equal thresholds are common. */
const hundredths = fc.integer({ min: 5, max: 95 }).map((percent) => percent * 10_000);
const candidate = fc.record({
  millionths: hundredths,
  riskTier: fc.constantFrom(...riskTiers),
  eligible: fc.boolean().chain((yes) => (yes ? fc.constant(true) : fc.boolean())),
  retrieval: fc.integer({ min: 0, max: 10 }),
  missing: fc.boolean(),
  timeout: fc.boolean().chain((yes) => (yes ? fc.boolean() : fc.constant(false))),
});
type Drawn = Readonly<{
  millionths: number;
  riskTier: ScoredCandidate["riskTier"];
  eligible: boolean;
  retrieval: number;
  missing: boolean;
  timeout: boolean;
}>;
const scored = (drawn: Drawn, index: number, millionths = drawn.millionths, retrieval = 0): ScoredCandidate => ({
  workflowId: `workflow.${index}` as WorkflowId,
  riskTier: drawn.riskTier,
  eligible: drawn.eligible,
  retrievalScore: drawn.retrieval / 10 + retrieval,
  logits: logitsOf(millionths / 1e6),
  missingInputs: drawn.missing ? ["a"] : [],
  inputTimeout: drawn.timeout,
});
const threshold = fc.option(fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100));
const margin = fc.option(fc.integer({ min: 0, max: 30 }).map((percent) => percent / 100));
const tier = fc.record({ confidence: threshold, margin });
const thresholds: fc.Arbitrary<DecisionThresholds> = fc.record({
  calibrator: fc.constant({ slope: 1, intercept: 0 }),
  tiers: fc.record({ low: tier, medium: tier, high: tier, critical: tier }),
  clarifyThreshold: fc.integer({ min: 10, max: 90 }).map((percent) => percent / 100),
  minRetrievalScore: fc.constantFrom(Number.NEGATIVE_INFINITY, 0, 0.25, 0.3, 0.5),
});

const outcome = (candidates: readonly ScoredCandidate[], limits: DecisionThresholds): string => {
  const { decision, reasonCode, workflowId } = decide(candidates, limits);
  return [decision, reasonCode, workflowId].join(" ");
};
const within = (millionths: number): number => Math.min(999_999, Math.max(1, millionths));

test("no change of all scores within the slack alters decision, reason or workflow", () => {
  const share = fc.integer({ min: -1000, max: 1000 }).map((thousandths) => thousandths / 1000);
  const moves = fc.array(fc.tuple(share, share), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 5 }), thresholds, moves, (drawn, limits, shares) => {
      const before = drawn.map((one, index) => scored(one, index));
      const slack = decisionSlack(before, limits);
      fc.pre(slack.confidence > 1e-9 && slack.retrieval > 1e-9);
      const confidence = Math.max(0, Math.ceil(Math.min(slack.confidence, 1) * 1e6 - 1e-3) - 1);
      const retrieval = Math.min(slack.retrieval, 1) * 0.999;
      const after = drawn.map((one, index) => {
        const [a = 0, b = 0] = shares[index] ?? [];
        return scored(one, index, within(one.millionths + Math.trunc(a * confidence)), b * retrieval);
      });
      assert.is(outcome(after, limits), outcome(before, limits));
    }),
    { numRuns: 3000 },
  );
});

/** Every list that takes one value from each of the given lists. */
function product(choices: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return choices.reduce<readonly (readonly number[])[]>(
    (lists, values) => lists.flatMap((list) => values.map((value) => [...list, value])),
    [[]],
  );
}

test("a slightly larger change of confidences can alter the decision: the slack is exact", () => {
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 1, maxLength: 3 }), thresholds, (drawn, limits) => {
      const before = drawn.map((one, index) => scored(one, index));
      const { confidence } = decisionSlack(before, limits);
      fc.pre(Number.isFinite(confidence));
      const reach = Math.ceil(confidence * 1e6) + 2;
      fc.pre(drawn.every(({ millionths }) => millionths - reach > 1 && millionths + reach < 999_999));
      const bounds = [limits.clarifyThreshold, ...Object.values(limits.tiers).map((one) => one.confidence ?? 0)];
      const choices = drawn.map(({ millionths }) => {
        const corners = [millionths - reach, millionths, millionths + reach];
        const edges = bounds.flatMap((bound) => [Math.round(bound * 1e6), Math.round(bound * 1e6) - 1]);
        return [...new Set([...corners, ...edges.filter((edge) => Math.abs(edge - millionths) <= reach)])];
      });
      const found = product(choices).some((list) => {
        const after = drawn.map((one, index) => scored(one, index, list[index]));
        return outcome(after, limits) !== outcome(before, limits);
      });
      assert.ok(found, `slack ${confidence} of ${outcome(before, limits)} is larger than it need be`);
    }),
    { numRuns: 1000 },
  );
});

test("a slightly larger change of retrieval scores can alter the decision", () => {
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 1, maxLength: 4 }), thresholds, (drawn, limits) => {
      const before = drawn.map((one, index) => scored(one, index));
      const { retrieval } = decisionSlack(before, limits);
      fc.pre(Number.isFinite(retrieval));
      const moved = [retrieval + 1e-9, -retrieval - 1e-9].map((change) =>
        outcome(
          drawn.map((one, index) => scored(one, index, one.millionths, change)),
          limits,
        ),
      );
      assert.ok(moved.some((after) => after !== outcome(before, limits)));
    }),
  );
});

test.run();
