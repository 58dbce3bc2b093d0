import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failedGates } from "../../../cli/stages/release-changes.js";
import type { TierEvaluation } from "../../../src/domain/evaluation.js";

const test = suite("cli/stages/release-changes");

/** A tier that routed 100 requests, this many of them wrongly. */
function tier(wrong: number, targetRisk: number | null, threshold: number | null = 0.8): TierEvaluation {
  const rate = { k: wrong, n: 100, estimate: wrong / 100, lower: 0, upper: 1, workflows: 5 };
  return {
    tier: "low",
    routed: rate,
    selectiveRisk: rate,
    targetRisk,
    threshold,
    marginThreshold: 0,
  } as TierEvaluation;
}

test("a tier whose measured risk lies above its target is a failed gate, one at its target is not", () => {
  assert.equal(failedGates({ tiers: [tier(5, 0.05), tier(6, 0.05)] }), [
    "tier low: 6 of 100 routed requests were wrong, risk 0.0600, target 0.05",
  ]);
});

test("a tier that abstains, or that has no target, has no gate to miss", () => {
  assert.equal(failedGates({ tiers: [tier(50, 0.05, null), tier(50, null)] }), []);
});

test.run();
