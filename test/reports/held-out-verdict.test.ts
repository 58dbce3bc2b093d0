import { judgeOnHeldOut } from "../../reports/held-out-verdict.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import type { Rate } from "../../src/documents/rate.js";
import { riskTiers } from "../../src/documents/choices.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test } from "../support/test.js";
import { aClaim } from "../support/builders.js";

const claim = aClaim({ target_risk: 0.1, tiers: [...riskTiers] });

function measured(k: number, n: number, fold: Evaluation["fold"] = "eval") {
  const selective_risk = {
    k,
    n,
    estimate: n === 0 ? null : k / n,
    lower: 0,
    upper: 1,
    design_effect: 1,
    effective_n: n,
  } as Rate;
  const tiers = riskTiers.map((tier) => ({ tier, routed: { k: 0, n: 0 }, selective_risk }));
  return { selective_risk, tiers, requests: 2 * n, fold } as unknown as Evaluation;
}

const heldOut = (k: number, n: number, claims = 1) => judgeOnHeldOut(claim, measured(k, n), claims).heldOut;

test("held-out requests agree, are too few to tell, or contradict", () => {
  assert.is(heldOut(8, 112), "agree");
  assert.is(heldOut(1, 20), "too_few", "20 requests without an error would not show 10%");
  assert.is(heldOut(13, 112), "too_few", "a fold that is unlucky by two requests");
  assert.is(heldOut(0, 0), "too_few");
  assert.is(heldOut(22, 112), "contradict");
});

test("the words name the counts and the limit", () => {
  assert.is(
    judgeOnHeldOut(claim, measured(8, 112), 1).sentence,
    "Certified, and held-out requests agree: 8 wrong of 112 routed (7.1%), limit 10%.",
  );
  assert.is(
    judgeOnHeldOut(claim, measured(13, 112), 1).sentence,
    "Certified. The 224 held-out requests are too few to confirm or contradict it: 13 wrong of 112 routed (11.6%), limit 10%.",
  );
  assert.match(
    judgeOnHeldOut(claim, measured(22, 112), 1).sentence,
    /^Held-out requests contradict the claim: 22 wrong/,
  );
  assert.match(judgeOnHeldOut(claim, measured(0, 100, "certify"), 1).sentence, /there is no separate held-out set/);
});

test("a true claim is contradicted in at most 5% of the draws, counted over its claims", () => {
  const random = seededRandom(2);
  for (const claims of [1, 4]) {
    let contradicted = 0;
    for (let draw = 0; draw < 1000; draw += 1) {
      const wrong = Array.from({ length: 150 }, () => random.uniform() < 0.1).filter(Boolean).length;
      if (heldOut(wrong, 150, claims) === "contradict") contradicted += 1;
    }
    assert.ok(contradicted <= 1000 * (0.05 / claims) + 3 * Math.sqrt(1000 * 0.05), `${contradicted} with ${claims}`);
  }
});
