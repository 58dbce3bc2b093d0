import fc from "fast-check";
import type { WorkflowId } from "../../../../src/documents/primitives.js";
import { type RiskTier, riskTiers } from "../../../../src/documents/choices.js";
import {
  type FollowUp,
  type ReasonCode,
  reasonCodes,
  type ScoredCandidate,
} from "../../../../src/documents/decision.js";
import { decide, declineBeforeScoring, type DecisionThresholds } from "../../../../src/router/policy/decide.js";
import { assert, test } from "../../../support/test.js";
import { aCalibration, aScoredCandidate, logitsOf, noFollowUpWeights } from "../../../support/builders.js";

const calibration = aCalibration();
const withTier = (tier: RiskTier, confidence: number | null, margin: number | null): DecisionThresholds => ({
  ...calibration,
  tiers: { ...calibration.tiers, [tier]: { confidence, margin } },
});
const first = (overrides: Parameters<typeof aScoredCandidate>[0] = {}) =>
  aScoredCandidate({ workflow_id: "first", ...overrides });
const second = (confidence: number, overrides: Partial<ScoredCandidate> = {}) =>
  aScoredCandidate({ workflow_id: "second", confidence, retrieval_score: 0.5, ...overrides });
const competitor = (confidence: number, overrides: Partial<ScoredCandidate> = {}) =>
  aScoredCandidate({ workflow_id: "x.competitor", confidence, eligible: false, ...overrides });

interface Row {
  readonly name: string;
  readonly candidates: readonly ScoredCandidate[];
  readonly thresholds?: DecisionThresholds;
  readonly reason: ReasonCode;
  readonly margin?: number | null;
  readonly negated?: WorkflowId;
  readonly several?: number;
  readonly followUp?: FollowUp;
  readonly languages?: readonly string[];
}

const [firstId, secondId] = [first().workflow_id, second(0.5).workflow_id];
const german = { ...calibration, languages: { covered: ["de"] } };
const missing = { missing_inputs: ["order_number"] } as const;
const constant = (intercept: number) => ({ intercept, weights: noFollowUpWeights });
/** Repeats are certain enough at any text; changes never are. */
const followUps: DecisionThresholds = {
  ...calibration,
  follow_ups: {
    tiers: ["low"],
    repeats: { calibrator: constant(2), threshold: 0.8 },
    changes: { calibrator: constant(2), threshold: null },
  },
};
const elliptical = { previous: firstId, joined: false, closing: -1, new_wish: -3 };
const weak = first({ confidence: 0.01, retrieval_score: 0.2 });
const followUpRows: readonly Row[] = [
  {
    name: "a certified follow-up keeps the previous workflow if its text leads nowhere",
    candidates: [second(0.3), weak],
    followUp: elliptical,
    thresholds: followUps,
    reason: "FOLLOW_UP_ACCEPTED",
    margin: null,
  },
  {
    name: "a certified follow-up whose previous workflow only the request before it brought",
    candidates: [second(0.3), weak],
    followUp: { ...elliptical, joined: true },
    thresholds: followUps,
    reason: "FOLLOW_UP_ACCEPTED",
    margin: null,
  },
  {
    name: "a follow-up that states a wish of its own, while changes are not certified",
    candidates: [second(0.9), weak],
    followUp: { ...elliptical, new_wish: 5 },
    thresholds: followUps,
    reason: "CONTEXT_NEEDED",
    margin: null,
  },
  {
    name: "a certified follow-up without an input",
    candidates: [first(missing)],
    followUp: elliptical,
    thresholds: followUps,
    reason: "FOLLOW_UP_MISSING_INPUT",
  },
  {
    name: "a certified follow-up that negates the previous workflow",
    candidates: [first()],
    negated: firstId,
    followUp: elliptical,
    thresholds: followUps,
    reason: "NEGATED_REQUEST",
  },
  {
    name: "a certified follow-up in a tier with a claim of its own",
    candidates: [first({ risk_tier: "critical" })],
    followUp: elliptical,
    thresholds: followUps,
    reason: "CONTEXT_NEEDED",
  },
  {
    name: "a certified follow-up of a workflow without evidence",
    candidates: [first()],
    followUp: elliptical,
    thresholds: { ...followUps, certified_workflows: ["second"] },
    reason: "WORKFLOW_NOT_CERTIFIED",
  },
  {
    name: "a follow-up whose other workflow the caller may not use",
    candidates: [competitor(0.95, { retrieval_score: 0.9 }), weak],
    followUp: { ...elliptical, new_wish: 5 },
    thresholds: {
      ...followUps,
      follow_ups: {
        tiers: ["low"],
        repeats: { calibrator: null, threshold: null },
        changes: { calibrator: constant(2), threshold: 0.8 },
      },
    },
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
];
const rows: readonly Row[] = [
  { name: "no candidate", candidates: [], reason: "NO_WORKFLOW" },
  { name: "ineligible competitors only", candidates: [competitor(0.9)], reason: "NO_WORKFLOW" },
  { name: "best retrieval under the floor", candidates: [first({ retrieval_score: 0.04 })], reason: "NO_WORKFLOW" },
  { name: "best retrieval at the floor", candidates: [first({ retrieval_score: 0.05 })], reason: "ACCEPTED_LOW_RISK" },
  {
    name: "the floor is over every candidate, not over the top one",
    candidates: [first({ retrieval_score: 0.01 }), second(0.2)],
    reason: "ACCEPTED_LOW_RISK",
    margin: 0.7,
  },
  {
    name: "an ineligible competitor wins",
    candidates: [first(), competitor(0.95)],
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "an ineligible competitor of equal confidence and retrieval wins by id only",
    candidates: [first(), aScoredCandidate({ workflow_id: "a.competitor", eligible: false })],
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "an ineligible competitor of equal confidence that comes later in the order does not win",
    candidates: [first(), competitor(0.9)],
    reason: "ACCEPTED_LOW_RISK",
  },
  {
    name: "a weaker ineligible competitor is no rival",
    candidates: [first(), competitor(0.89)],
    reason: "ACCEPTED_LOW_RISK",
  },
  {
    name: "a winning ineligible competitor goes before the timeout",
    candidates: [first({ input_timeout: true }), competitor(0.95)],
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "patterns ran out of time on the top candidate",
    candidates: [first({ input_timeout: true, ...missing })],
    reason: "INPUT_EXTRACTION_TIMEOUT",
  },
  {
    name: "patterns ran out of time on another candidate",
    candidates: [first(), second(0.2, { input_timeout: true })],
    reason: "ACCEPTED_LOW_RISK",
    margin: 0.7,
  },
  { name: "input missing", candidates: [first(missing)], reason: "MISSING_REQUIRED_INPUT" },
  {
    name: "input missing at the clarify threshold",
    candidates: [first({ ...missing, confidence: 0.5 })],
    reason: "MISSING_REQUIRED_INPUT",
  },
  {
    name: "input missing under the clarify threshold",
    candidates: [first({ ...missing, confidence: 0.499999 })],
    reason: "LOW_CONFIDENCE_MISSING_INPUT",
  },
  {
    name: "input missing and margin too small",
    candidates: [first(missing), second(0.85)],
    reason: "LOW_CONFIDENCE_MISSING_INPUT",
    margin: 0.05,
  },
  {
    name: "input missing and margin at the limit",
    candidates: [first(missing), second(0.8)],
    reason: "MISSING_REQUIRED_INPUT",
    margin: 0.1,
  },
  {
    name: "inputs missing of the runner-up do not matter",
    candidates: [first(), second(0.2, missing)],
    reason: "ACCEPTED_LOW_RISK",
    margin: 0.7,
  },
  {
    name: "a confidence that is no number routes nothing",
    candidates: [first({ logits: { mismatch: Infinity, needs_input: 0, executable: Infinity } })],
    reason: "BELOW_RISK_THRESHOLD",
  },
  {
    name: "a retrieval score that is no number finds nothing",
    candidates: [first({ retrieval_score: Number.NaN })],
    reason: "NO_WORKFLOW",
  },
  { name: "confidence at the tier", candidates: [first({ confidence: 0.6 })], reason: "ACCEPTED_LOW_RISK" },
  {
    name: "confidence under the tier by the last decimal",
    candidates: [first({ confidence: 0.599999 })],
    reason: "BELOW_RISK_THRESHOLD",
  },
  {
    name: "a tier that abstains routes nothing, not even certainty",
    candidates: [first({ confidence: 0.999999 })],
    thresholds: withTier("low", null, null),
    reason: "BELOW_RISK_THRESHOLD",
  },
  {
    name: "a tier that abstains may still clarify",
    candidates: [first(missing)],
    thresholds: withTier("low", null, null),
    reason: "MISSING_REQUIRED_INPUT",
  },
  {
    name: "a low score goes before a small margin",
    candidates: [first({ confidence: 0.55 }), second(0.54)],
    reason: "BELOW_RISK_THRESHOLD",
    margin: 0.01,
  },
  { name: "margin at the limit", candidates: [first(), second(0.8)], reason: "ACCEPTED_LOW_RISK", margin: 0.1 },
  {
    name: "margin under the limit by the last decimal",
    candidates: [first(), second(0.800001)],
    reason: "AMBIGUOUS_CANDIDATES",
    margin: 0.099999,
  },
  {
    name: "two equal candidates",
    candidates: [first(), second(0.9)],
    reason: "AMBIGUOUS_CANDIDATES",
    margin: 0,
  },
  {
    name: "two equal candidates, margin 0 asked for",
    candidates: [first(), second(0.9)],
    thresholds: withTier("low", 0, 0),
    reason: "ACCEPTED_LOW_RISK",
    margin: 0,
  },
  {
    name: "a tier without a margin rule",
    candidates: [first(), second(0.9)],
    thresholds: withTier("low", 0.6, null),
    reason: "ACCEPTED_LOW_RISK",
    margin: 0,
  },
  {
    name: "a covered language",
    candidates: [first()],
    languages: ["de"],
    thresholds: german,
    reason: "ACCEPTED_LOW_RISK",
  },
  {
    name: "another language",
    candidates: [first()],
    languages: ["en", "nl"],
    thresholds: german,
    reason: "LANGUAGE_NOT_CERTIFIED",
  },
  {
    name: "a language that may be covered",
    candidates: [first()],
    languages: ["en", "de"],
    thresholds: german,
    reason: "ACCEPTED_LOW_RISK",
  },
  { name: "a text too short to tell", candidates: [first()], thresholds: german, reason: "ACCEPTED_LOW_RISK" },
  { name: "any language where none is covered", candidates: [first()], languages: ["en"], reason: "ACCEPTED_LOW_RISK" },
  { name: "a negated wish", candidates: [first()], negated: firstId, reason: "NEGATED_REQUEST" },
  {
    name: "a negated wish that inputs are missing for",
    candidates: [first(missing)],
    negated: firstId,
    reason: "NEGATED_REQUEST",
  },
  {
    name: "another wish is negated",
    candidates: [first(), second(0.2)],
    negated: secondId,
    reason: "ACCEPTED_LOW_RISK",
  },
  {
    name: "a negated wish below the threshold",
    candidates: [first({ confidence: 0.1 })],
    negated: firstId,
    reason: "BELOW_RISK_THRESHOLD",
  },
  {
    name: "several wishes above the limit",
    candidates: [first()],
    several: 1.6,
    thresholds: { ...calibration, several_wishes: { threshold: 1.5 } },
    reason: "MULTI_ACTION_UNSUPPORTED",
  },
  {
    name: "several wishes at the limit",
    candidates: [first()],
    several: 1.5,
    thresholds: { ...calibration, several_wishes: { threshold: 1.5 } },
    reason: "ACCEPTED_LOW_RISK",
  },
  { name: "several wishes without a limit", candidates: [first()], several: 99, reason: "ACCEPTED_LOW_RISK" },
  {
    name: "a text that follows another, in another language",
    candidates: [first()],
    languages: ["en"],
    thresholds: german,
    followUp: { previous: firstId, joined: false, closing: -1, new_wish: 0 },
    reason: "LANGUAGE_NOT_CERTIFIED",
  },
  {
    name: "a follow-up that leads to the previous workflow",
    candidates: [first()],
    followUp: { previous: firstId, joined: false, closing: -1, new_wish: 0 },
    reason: "FOLLOW_UP_ACCEPTED",
  },
  {
    name: "a follow-up that leads to the previous workflow without an input",
    candidates: [first(missing)],
    followUp: { previous: firstId, joined: false, closing: -1, new_wish: 0 },
    reason: "FOLLOW_UP_MISSING_INPUT",
  },
  {
    name: "a follow-up that leads to another workflow",
    candidates: [first()],
    followUp: { previous: secondId, joined: false, closing: -1, new_wish: 0 },
    reason: "CONTEXT_NEEDED",
  },
  {
    name: "a follow-up of a request that no workflow served",
    candidates: [first()],
    followUp: { previous: null, joined: false, closing: -1, new_wish: 0 },
    reason: "CONTEXT_NEEDED",
  },
  {
    name: "a follow-up that would lead nowhere by itself",
    candidates: [first({ confidence: 0.1 })],
    followUp: { previous: firstId, joined: false, closing: -1, new_wish: 0 },
    reason: "CONTEXT_NEEDED",
  },
  {
    name: "a follow-up that negates the previous workflow",
    candidates: [first()],
    negated: firstId,
    followUp: { previous: firstId, joined: false, closing: -1, new_wish: 0 },
    reason: "NEGATED_REQUEST",
  },
  {
    name: "a follow-up that ends the conversation",
    candidates: [first()],
    followUp: { previous: firstId, joined: false, closing: 1, new_wish: 0 },
    reason: "NO_REQUEST",
  },
  ...followUpRows,
  { name: "a single candidate has no margin", candidates: [first()], reason: "ACCEPTED_LOW_RISK", margin: null },
  {
    name: "an ineligible competitor is no runner-up",
    candidates: [first(), competitor(0.85)],
    reason: "ACCEPTED_LOW_RISK",
    margin: null,
  },
  ...riskTiers.flatMap((riskTier): Row[] => {
    const at = calibration.tiers[riskTier].confidence ?? 1;
    const accepted = `ACCEPTED_${riskTier.toUpperCase()}_RISK` as ReasonCode;
    return [
      {
        name: `${riskTier} tier at its threshold`,
        candidates: [first({ risk_tier: riskTier, confidence: at })],
        reason: accepted,
      },
      {
        name: `${riskTier} tier under its threshold`,
        candidates: [first({ risk_tier: riskTier, confidence: at - 1e-6 })],
        reason: "BELOW_RISK_THRESHOLD",
      },
    ];
  }),
];

for (const row of rows) {
  test(`${row.name}: ${row.reason}`, () => {
    const decision = decide(row, row.thresholds ?? calibration);
    assert.is(decision.reason_code, row.reason);
    assert.is(decision.decision, reasonCodes[row.reason]);
    assert.is(decision.workflow_id, decision.decision === "LLM_REQUIRED" ? null : "first");
    assert.is(decision.negated_workflow_id, row.reason === "NEGATED_REQUEST" ? "first" : undefined);
    if (row.margin !== undefined) assert.is(decision.margin, row.margin);
  });
}

test("the table holds every reason that decide() can give", () => {
  const codes: readonly ReasonCode[] = [
    "ACCEPTED_LOW_RISK",
    "WORKFLOW_NOT_CERTIFIED",
    "ACCEPTED_MEDIUM_RISK",
    "ACCEPTED_HIGH_RISK",
    "ACCEPTED_CRITICAL_RISK",
    "MISSING_REQUIRED_INPUT",
    "INPUT_EXTRACTION_TIMEOUT",
    "NO_WORKFLOW",
    "BETTER_MATCH_NOT_ALLOWED",
    "LOW_CONFIDENCE_MISSING_INPUT",
    "BELOW_RISK_THRESHOLD",
    "AMBIGUOUS_CANDIDATES",
    "LANGUAGE_NOT_CERTIFIED",
    "NEGATED_REQUEST",
    "MULTI_ACTION_UNSUPPORTED",
    "FOLLOW_UP_ACCEPTED",
    "FOLLOW_UP_MISSING_INPUT",
    "CONTEXT_NEEDED",
    "NO_REQUEST",
  ];
  assert.equal([...new Set(rows.map((row) => row.reason))].sort(), [...codes].sort());
});

test("CLARIFY names the inputs in the given order; every other decision names none", () => {
  const asked = decide({ candidates: [first({ missing_inputs: ["b", "a"] })] }, calibration);
  assert.equal(asked.missing_inputs, ["b", "a"]);
  const refused = decide({ candidates: [first({ missing_inputs: ["b", "a"], confidence: 0.1 })] }, calibration);
  assert.equal(refused.missing_inputs, []);
});

test("a decline after scoring keeps confidence and tier; one before scoring has none", () => {
  const scored = decide({ candidates: [first({ risk_tier: "high", confidence: 0.5 })] }, calibration);
  assert.equal([scored.confidence, scored.risk_tier, scored.workflow_id], [0.5, "high", null]);
  const early = declineBeforeScoring("NO_WORKFLOW");
  assert.equal([early.confidence, early.margin, early.risk_tier], [0, null, null]);
});

const probability = fc.integer({ min: 1, max: 999_999 }).map((millionths) => millionths / 1e6);
const threshold = fc.option(fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100));
const candidate = fc
  .record({
    riskTier: fc.constantFrom(...riskTiers),
    eligible: fc.boolean(),
    confidence: probability,
    retrievalScore: fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
    missing_inputs: fc.subarray(["a", "b"]),
    inputTimeout: fc.boolean(),
  })
  .map((fields) => aScoredCandidate(fields));
const candidates = fc
  .array(candidate, { maxLength: 8 })
  .map((list) => list.map((one, index) => ({ ...one, workflow_id: `workflow.${index}` as WorkflowId })));
const tier = fc.record({ confidence: threshold, margin: threshold });
const thresholds: fc.Arbitrary<DecisionThresholds> = fc.record({
  calibrator: fc.record({ slope: fc.constantFrom(0.5, 1, 2), intercept: fc.constantFrom(-1, 0, 1) }),
  tiers: fc.record({ low: tier, medium: tier, high: tier, critical: tier }),
  clarify_threshold: probability,
  min_retrieval_score: fc.constantFrom(0, 0.3, 0.6),
});

test("the order of the candidates never matters", () => {
  fc.assert(
    fc.property(candidates, thresholds, fc.infiniteStream(fc.nat()), (list, limits, keys) => {
      const keyed = list.map((one) => ({ one, key: keys.next().value ?? 0 }));
      const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ one }) => one);
      assert.equal(decide({ candidates: shuffled }, limits), decide({ candidates: list }, limits));
    }),
  );
});

test("an ineligible workflow is never chosen, and a ROUTE passed every threshold", () => {
  fc.assert(
    fc.property(candidates, thresholds, (list, limits) => {
      const decision = decide({ candidates: list }, limits);
      assert.is(decision.decision, reasonCodes[decision.reason_code]);
      if (decision.decision === "LLM_REQUIRED") {
        assert.is(decision.workflow_id, null);
        return;
      }
      const chosen = list.find((one) => one.workflow_id === decision.workflow_id);
      assert.is(chosen?.eligible, true);
      if (decision.decision === "CLARIFY") {
        assert.ok(decision.missing_inputs.length > 0);
        return;
      }
      const limit = limits.tiers[chosen?.risk_tier ?? "low"];
      assert.is(chosen?.missing_inputs.length, 0);
      assert.ok(limit.confidence !== null && decision.confidence >= limit.confidence);
      assert.ok(limit.margin === null || decision.margin === null || decision.margin >= limit.margin);
    }),
    { numRuns: 500 },
  );
});

test("a higher score of the chosen workflow never takes the choice back", () => {
  fc.assert(
    fc.property(candidates, thresholds, fc.integer({ min: 0, max: 50 }), (list, limits, tenths) => {
      const before = decide({ candidates: list }, limits);
      fc.pre(before.decision !== "LLM_REQUIRED");
      const raised = list.map((one) =>
        one.workflow_id === before.workflow_id
          ? { ...one, logits: { ...one.logits, mismatch: one.logits.mismatch - tenths / 10 } }
          : one,
      );
      const after = decide({ candidates: raised }, limits);
      assert.is(after.reason_code, before.reason_code);
      assert.is(after.workflow_id, before.workflow_id);
      assert.ok(after.confidence >= before.confidence);
    }),
    { numRuns: 300 },
  );
});

test("a lower score of a rival never takes the choice back", () => {
  fc.assert(
    fc.property(candidates, thresholds, (list, limits) => {
      const before = decide({ candidates: list }, limits);
      fc.pre(before.decision === "ROUTE");
      const lowered = list.map((one) =>
        one.workflow_id === before.workflow_id ? one : { ...one, logits: logitsOf(0.000001) },
      );
      assert.is(decide({ candidates: lowered }, limits).workflow_id, before.workflow_id);
    }),
  );
});
