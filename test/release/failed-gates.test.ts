import { failedGates } from "../../release/page/build-release-page.js";
import type { MeasuredClaims } from "../../reports/held-out-verdict.js";
import type { TierEvaluation } from "../../src/documents/evaluation.js";
import type { Rate } from "../../src/documents/rate.js";
import { assert, test } from "../support/test.js";
import { aClaim } from "../support/builders.js";

const rate = (wrong: number): Rate => ({ k: wrong, n: 100, estimate: wrong / 100, lower: 0, upper: 1 }) as Rate;

/** An evaluation whose tiers routed 100 requests each, this many of them wrongly. */
function evaluation(low: number, critical: number): MeasuredClaims {
  const tier = (name: "low" | "critical", wrong: number) =>
    ({ tier: name, routed: rate(100), selective_risk: rate(wrong) }) as TierEvaluation;
  const both = { ...rate(low + critical), n: 200, estimate: (low + critical) / 200 };
  const tiers = [tier("low", low), tier("critical", critical)];
  return { tiers, selective_risk: both, requests: 400, fold: "eval", detail: { slices: [] } };
}

test("only a contradiction fails a gate, not a rate above the target that chance explains", () => {
  const overall = aClaim();
  assert.equal(failedGates(evaluation(4, 6), { claims: [overall] }), []);
  assert.equal(failedGates(evaluation(4, 7), { claims: [overall] }), []);
  assert.equal(failedGates(evaluation(10, 10), { claims: [overall] }), [
    "overall: Held-out requests contradict the claim: 20 wrong of 200 routed (10.0%), limit 5%.",
  ]);
});

test("a tier is judged only by its claim, at a level divided over the claims", () => {
  const critical = aClaim({ scope: "critical", tiers: ["critical"] });
  assert.equal(failedGates(evaluation(0, 10), { claims: [aClaim(), critical] }), []);
  assert.equal(failedGates(evaluation(0, 13), { claims: [aClaim(), critical] }), [
    "tier critical: Held-out requests contradict the claim: 13 wrong of 100 routed (13.0%), limit 5%.",
  ]);
});

test("a claim that was not certified has no gate to miss", () => {
  assert.equal(failedGates(evaluation(50, 50), { claims: [aClaim({ certified: false })] }), []);
});
