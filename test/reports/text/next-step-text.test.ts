import type { NextStep } from "../../../src/documents/calibration.js";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import { nextStepText } from "../../../reports/text/plan-text.js";
import { assert, test } from "../../support/test.js";

const step = (changes: Partial<NextStep>): NextStep => ({
  target_risk: 0.05,
  requests: 377,
  workflows: 0,
  probability: 0.83,
  stopped_at: null,
  ...changes,
});

test("how many more requests the next target needs, in round numbers", () => {
  assert.is(
    nextStepText(step({})),
    "In simulations, a target of 5% passes 4 times out of 5 with about 380 more labelled requests like these. A few errors more or less can double or halve this number.",
  );
  assert.match(
    nextStepText(step({ workflows: 41 })),
    "with about 380 more labelled requests for 41 more workflows like",
  );
});

test("the best chance is stated where it stays below 4 out of 5", () => {
  assert.match(nextStepText(step({ probability: 0.79 })), /^In simulations, a target of 5% passes 7 times out of 10 /);
});

test("the wrong routes at which the test stops are named before more requests are asked for", () => {
  const refund = "refund" as WorkflowId;
  const wrong = [
    { id: "r7", right: null, routed: refund, confidence: 0.987 },
    { id: "r2", right: "track" as WorkflowId, routed: refund, confidence: 0.91 },
  ];
  const stopped_at = { errors: 6, routed: 130, upper_bound: 0.104, without: 0.0789, wrong };
  assert.is(
    nextStepText(step({ requests: null, probability: 0.3, stopped_at })),
    "The test of 5% stops at 6 wrong of 130 routed, an upper limit of 10.40%. The two most confident wrong routes are: " +
      "r7 (no workflow, routed to refund at 0.99), r2 (track, routed to refund at 0.91). Check their labels first: without them the limit of this test would be 7.89%; a second test on these labels is stricter. " +
      "More requests like these will not get you to 5%: even ten times as many passed in fewer than half of the simulations.",
  );
});
