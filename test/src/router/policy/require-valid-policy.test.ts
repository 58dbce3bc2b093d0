import { requireValidPolicy } from "../../../../src/router/policy/require-valid-policy.js";
import { assert, test, throws } from "../../../support/test.js";
import { aPolicy } from "../../../support/builders.js";

test("the default policy is valid, and answers requests with debug", () => {
  const policy = aPolicy();
  assert.is(requireValidPolicy(policy, "policy.json"), policy);
  assert.is(policy.refuse_debug_in_production, false);
});

test("a tier that abstains is named for events only where events may be routed to it", () => {
  const policy = aPolicy({
    exact_events: { enabled: true, allowed_tiers: ["low"], abstaining_tiers: ["low", "high"] },
  });
  const { message } = throws(() => requireValidPolicy(policy, "policy.json"), "DOCUMENT_INVALID");
  assert.match(message, /abstaining_tiers names high, which is not in allowed_tiers/);
});
