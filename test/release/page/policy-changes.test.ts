import { defaultPolicy, type RoutingPolicy } from "../../../src/documents/policy.js";
import { policyChanges } from "../../../release/page/release-differences.js";
import { assert, test } from "../../support/test.js";

const changes = (from: Partial<RoutingPolicy>, to: Partial<RoutingPolicy>) =>
  policyChanges({ ...defaultPolicy, ...from }, { ...defaultPolicy, ...to });

const guard = (id: string, verb: string): RoutingPolicy["guards"][number] => ({
  kind: "multi_action",
  guard_id: id,
  language: "en",
  conjunctions: ["and"],
  verbs: [verb],
});

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

test("text guards are matched by id: added, removed, changed or reordered", () => {
  const [one, two] = [guard("two-actions", "cancel"), guard("three-actions", "book")];
  assert.equal(changes({ guards: [one] }, { guards: [guard("two-actions", "stop"), two] }), [
    "text guard two-actions changed",
    "text guard three-actions added",
  ]);
  assert.equal(changes({ guards: [one, two] }, { guards: [two] }), ["text guard two-actions removed"]);
  assert.equal(changes({ guards: [one, two] }, { guards: [two, one] }), ["text guards run in a different order"]);
});
