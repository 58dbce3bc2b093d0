import { nextStepText } from "../../../reports/text/plan-text.js";
import { assert, test } from "../../support/test.js";
import { aClaim } from "../../support/builders.js";

test("how many more requests the next target needs, in round numbers", () => {
  assert.is(
    nextStepText({ target_risk: 0.05, requests: 377, probability: 0.83 }, [aClaim()]),
    "In simulations, a target of 5 % is met 4 times out of 5 with about 380 more labelled requests like these. A few errors more or less can double or halve this number.",
  );
});

test("the best chance is stated where it stays below 4 out of 5", () => {
  assert.match(
    nextStepText({ target_risk: 0.05, requests: 650, probability: 0.79 }, [aClaim()]),
    /^In simulations, a target of 5 % is met 7 times out of 10 with about 650 more/,
  );
});

test("no number where ten times the requests may not suffice, but what is wrong", () => {
  const line = nextStepText({ target_risk: 0.1, requests: null, probability: 0.3 }, [
    aClaim({ errors: 6, routed: 130 }),
  ]);
  assert.match(
    line,
    /^A target of 10 % is out of reach .* fewer than half of the simulations\. Now 4\.6 % of 130 routes are wrong\. Add more/,
  );
  const unrouted = nextStepText({ target_risk: 0.5, requests: null, probability: 0 }, [
    aClaim({ errors: 0, routed: 0 }),
  ]);
  assert.match(unrouted, /^A target of 50 % is out of reach .* fewer than half of the simulations\. Add more/);
});
