import { defaultPolicy, type RoutingPolicy } from "../../../src/documents/policy.js";
import { policyChanges } from "../../../release/page/release-differences.js";
import { assert, test } from "../../support/test.js";

const changes = (from: Partial<RoutingPolicy>, to: Partial<RoutingPolicy>) =>
  policyChanges({ ...defaultPolicy, ...from }, { ...defaultPolicy, ...to });

test("equal policies change nothing", () => {
  assert.equal(changes({}, {}), []);
});

test("each changed field is said in words, before and now", () => {
  const next = { top_k: 10, allowed_tiers: ["low"] as const, refuse_debug_in_production: true };
  assert.equal(changes({}, { ...next, allowed_tiers: [...next.allowed_tiers] }), [
    "tiers that may be routed: low, medium, high, critical before, low now",
    "candidates per request: 8 before, 10 now",
    "declines requests with debug in production: no before, yes now",
  ]);
});
