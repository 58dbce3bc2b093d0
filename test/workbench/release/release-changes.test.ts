import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failedGates } from "../../../workbench/release/release-changes.js";
import type { Evaluation, TierEvaluation } from "../../../src/domain/evaluation.js";
import type { Rate } from "../../../src/domain/rate.js";
import { aClaim } from "../../support/builders.js";

const test = suite("workbench/release/release-changes");

const rate = (wrong: number): Rate => ({ k: wrong, n: 100, estimate: wrong / 100, lower: 0, upper: 1 }) as Rate;

/** An evaluation whose tiers routed 100 requests each, this many of them wrongly. */
function evaluation(low: number, critical: number): Pick<Evaluation, "tiers" | "selectiveRisk" | "requests"> {
  const tier = (name: "low" | "critical", wrong: number) =>
    ({ tier: name, routed: rate(100), selectiveRisk: rate(wrong) }) as TierEvaluation;
  const both = { ...rate(low + critical), n: 200, estimate: (low + critical) / 200 };
  return { tiers: [tier("low", low), tier("critical", critical)], selectiveRisk: both, requests: 400 };
}

test("a claim whose measured risk lies above its target is a failed gate, one at its target is not", () => {
  const overall = aClaim();
  assert.equal(failedGates(evaluation(4, 6), { claims: [overall] }), []);
  assert.equal(failedGates(evaluation(4, 7), { claims: [overall] }), [
    "overall: 11 of 200 routed requests were wrong, risk 0.0550, target 0.05",
  ]);
});

test("a tier is judged only by its claim", () => {
  const critical = aClaim({ scope: "critical", tiers: ["critical"] });
  assert.equal(failedGates(evaluation(0, 6), { claims: [aClaim(), critical] }), [
    "tier critical: 6 of 100 routed requests were wrong, risk 0.0600, target 0.05",
  ]);
});

test("a claim that was not certified has no gate to miss", () => {
  assert.equal(failedGates(evaluation(50, 50), { claims: [aClaim({ certified: false })] }), []);
});

test.run();
