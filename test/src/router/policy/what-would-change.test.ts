import type { ScoredCandidate } from "../../../../src/documents/decision.js";
import { whatWouldChange } from "../../../../src/router/policy/what-would-change.js";
import { assert, test } from "../../../support/test.js";
import { aCalibration, aScoredCandidate, aTier, noFollowUpWeights } from "../../../support/builders.js";

const calibration = aCalibration();
const changes = (...candidates: readonly ScoredCandidate[]) => whatWouldChange({ candidates }, calibration);
const first = (overrides: Parameters<typeof aScoredCandidate>[0] = {}) =>
  aScoredCandidate({ workflow_id: "first", ...overrides });
const second = (confidence: number, overrides: Partial<ScoredCandidate> = {}) =>
  aScoredCandidate({ workflow_id: "second", confidence, ...overrides });

test("confidence and margin are shown next to the thresholds of the tier", () => {
  assert.equal(changes(first({ risk_tier: "medium", confidence: 0.61 }), second(0.3)), [
    { kind: "confidence", value: 0.61, threshold: 0.7, tier: "medium" },
    { kind: "margin", value: 0.31, threshold: 0.1 },
  ]);
});

test("without a second candidate there is no margin", () => {
  assert.equal(changes(first()), [{ kind: "confidence", value: 0.9, threshold: 0.6, tier: "low" }]);
});

test("missing inputs are listed with their reason, next to the clarification threshold", () => {
  assert.equal(changes(first({ missing_inputs: ["city"] })), [
    { kind: "inputs", names: ["city"], otherwise: "ACCEPTED_LOW_RISK" },
    { kind: "confidence", value: 0.9, threshold: 0.5, tier: null },
  ]);
  const [inputs] = changes(first({ missing_inputs: ["city"], confidence: 0.4 }));
  assert.equal(inputs, { kind: "inputs", names: ["city"], otherwise: "BELOW_RISK_THRESHOLD" });
});

test("inputs that were not looked for in time are one change", () => {
  assert.equal(changes(first({ input_timeout: true, missing_inputs: ["city"] })), [
    { kind: "inputs_in_time", otherwise: "ACCEPTED_LOW_RISK" },
  ]);
});

test("a winning ineligible competitor is a change without a name", () => {
  assert.equal(changes(first(), second(0.95, { eligible: false })), [
    { kind: "better_match_not_allowed", otherwise: "ACCEPTED_LOW_RISK" },
  ]);
});

test("under the retrieval floor only retrieval counts", () => {
  assert.equal(changes(first({ retrieval_score: 0.02 })), [{ kind: "retrieval", value: 0.02, threshold: 0.05 }]);
});

test("a tier that abstains is shown as abstaining", () => {
  const abstaining = { ...calibration, tiers: { ...calibration.tiers, low: aTier(null, null) } };
  assert.equal(whatWouldChange({ candidates: [first(), second(0.2)] }, abstaining), [
    { kind: "tier_abstains", tier: "low" },
  ]);
});

test("without an eligible candidate nothing is named", () => {
  assert.equal(changes(), []);
  assert.equal(changes(second(0.9, { eligible: false })), []);
});

const repeating = { intercept: 0, weights: { ...noFollowUpWeights, new_wish: -1 } };
const followUps = {
  ...calibration,
  follow_ups: {
    tiers: ["low" as const],
    repeats: { calibrator: repeating, threshold: 0.99 },
    changes: { calibrator: null, threshold: null },
  },
};
const followUp = { previous: aScoredCandidate({ workflow_id: "first" }).workflow_id, joined: true, closing: -1 };
const brought = first({ retrieval_score: 0.2 });

test("a follow-up is held against the threshold of answers that repeat, or change, its workflow", () => {
  const candidates = [second(0.9, { retrieval_score: 0.6 }), brought];
  assert.equal(whatWouldChange({ candidates, followUp: { ...followUp, new_wish: -3 } }, followUps), [
    { kind: "follow_up", answers: "repeats", value: 0.952574, threshold: 0.99 },
  ]);
  assert.equal(whatWouldChange({ candidates, followUp: { ...followUp, new_wish: 5 } }, followUps), [
    { kind: "follow_up", answers: "changes", value: 0, threshold: null },
  ]);
});

test("a follow-up says what it lacks, with the workflow that only the request before it brought", () => {
  const lacking = [second(0.3, { retrieval_score: 0.6 }), { ...brought, missing_inputs: ["city"] }];
  const rules = { ...followUps.follow_ups, repeats: { calibrator: repeating, threshold: 0.9 } };
  const thresholds = { ...followUps, follow_ups: rules };
  assert.equal(whatWouldChange({ candidates: lacking, followUp: { ...followUp, new_wish: -3 } }, thresholds), [
    { kind: "inputs", names: ["city"], otherwise: "FOLLOW_UP_ACCEPTED" },
    { kind: "follow_up", answers: "repeats", value: 0.952574, threshold: 0.9 },
  ]);
});

test("without claims about follow-ups, one is explained by its text alone", () => {
  const candidates = [second(0.9, { missing_inputs: ["city"] }), brought];
  const [inputs] = whatWouldChange({ candidates, followUp: { ...followUp, new_wish: -3 } }, calibration);
  assert.equal(inputs, { kind: "inputs", names: ["city"], otherwise: "CONTEXT_NEEDED" });
  const negated = second(0.9).workflow_id;
  const [ofNegated] = whatWouldChange({ candidates, negated, followUp: { ...followUp, new_wish: -3 } }, calibration);
  assert.equal(ofNegated, { kind: "inputs", names: ["city"], otherwise: "NEGATED_REQUEST" });
});
