/** `decide()` is monotone: a higher score of a workflow, or lower thresholds, never take its choice away. */
import fc from "fast-check";
import { riskTiers } from "../../src/documents/choices.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import { decide, type DecisionThresholds } from "../../src/router/policy/decide.js";
import { assert, test } from "../support/test.js";
import { aScoredCandidate, logitsOf } from "../support/builders.js";

const millionths = fc.integer({ min: 1, max: 999_999 });
const candidate = fc.record({
  confidence: millionths.map((value) => value / 1e6),
  risk_tier: fc.constantFrom(...riskTiers),
  eligible: fc.constantFrom(true, true, true, false),
  retrieval_score: fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
  missing_inputs: fc.constantFrom([], ["city"]),
});
const candidates = fc
  .array(candidate, { minLength: 1, maxLength: 5 })
  .map((list) => list.map((fields, index) => aScoredCandidate({ ...fields, workflow_id: `workflow.${index}` })));
const percent = fc.integer({ min: 0, max: 100 }).map((value) => value / 100);
const tier = fc.record({ confidence: fc.option(percent), margin: percent });
const thresholds: fc.Arbitrary<DecisionThresholds> = fc.record({
  calibrator: fc.constant({ slope: 1, intercept: 0 }),
  tiers: fc.record({ low: tier, medium: tier, high: tier, critical: tier }),
  clarify_threshold: percent,
  min_retrieval_score: fc.constantFrom(0, 0.3),
});

/** What `decide()` says of one workflow when it alone has this confidence. */
function chosenAt(
  list: readonly ScoredCandidate[],
  limits: DecisionThresholds,
  workflowId: string,
  confidence: number,
): string | null {
  const changed = list.map((one) => (one.workflow_id === workflowId ? { ...one, logits: logitsOf(confidence) } : one));
  const decision = decide({ candidates: changed }, limits);
  return decision.workflow_id === workflowId ? decision.reason_code : null;
}

test("what is chosen at some confidence is chosen for the same reason at every higher one", () => {
  fc.assert(
    fc.property(candidates, thresholds, millionths, millionths, (list, limits, one, other) => {
      const [low, high] = [Math.min(one, other) / 1e6, Math.max(one, other) / 1e6];
      for (const { workflow_id: workflowId } of list) {
        const before = chosenAt(list, limits, workflowId, low);
        if (before !== null) assert.is(chosenAt(list, limits, workflowId, high), before);
      }
    }),
    { numRuns: 3000 },
  );
});

test("lower thresholds never remove a choice", () => {
  fc.assert(
    fc.property(candidates, thresholds, fc.integer({ min: 0, max: 100 }), (list, limits, cut) => {
      const before = decide({ candidates: list }, limits);
      fc.pre(before.decision !== "LLM_REQUIRED");
      const share = 1 - cut / 100;
      const lowered = (one: { readonly confidence: number | null; readonly margin: number | null }) => ({
        confidence: one.confidence === null ? null : one.confidence * share,
        margin: one.margin === null ? null : one.margin * share,
      });
      const { low, medium, high, critical } = limits.tiers;
      const after = decide(
        { candidates: list },
        {
          ...limits,
          tiers: { low: lowered(low), medium: lowered(medium), high: lowered(high), critical: lowered(critical) },
          clarify_threshold: limits.clarify_threshold * share,
        },
      );
      assert.equal([after.reason_code, after.workflow_id], [before.reason_code, before.workflow_id]);
    }),
    { numRuns: 1000 },
  );
});
