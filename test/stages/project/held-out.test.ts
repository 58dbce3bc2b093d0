import type { Evaluation } from "../../../src/documents/evaluation.js";
import { heldOutVerdict, type HeldOutInput } from "../../../stages/project/held-out.js";
import { assert, test } from "../../support/test.js";

const measured = (k: number, n: number): Evaluation =>
  ({
    fold: "eval",
    requests: 150,
    tiers: [{ tier: "low", routed: { k: n, n: 150 } }],
    selective_risk: { k, n, estimate: n === 0 ? null : k / n },
  }) as unknown as Evaluation;
const claim = { scope: "overall", tiers: ["low"], certified: true, target_risk: 0.1, delta: 0.05 };
const advice =
  "In simulations, a target of 5% passes 4 times out of 5 with about 50 more labelled requests like these. A few errors more or less can double or halve this number.";
const input = (k: number, n: number, outside: number, workflows = 6): HeldOutInput =>
  ({
    calibration: {
      claims: [claim],
      next_step: { target_risk: 0.05, requests: 50, workflows: 0, probability: 0.8, stopped_at: null },
      shortlist: { out_of_scope: outside },
      out_of_scope_share: outside / 240,
    },
    evaluation: measured(k, n),
    workflows,
    oddTexts: ["9 of 10 texts contain quoted emails."],
  }) as unknown as HeldOutInput;

test("a claim that held-out rows miss fails its gate, and a looser target is named", () => {
  const { measured: said, gates, changes } = heldOutVerdict(input(33, 112, 12));
  assert.equal(said, ["Held-out requests contradict the claim: 33 wrong of 112 routed (29.5%), limit 10%."]);
  assert.equal([gates[0]?.name, gates[0]?.verdict], ["claim", "fail"]);
  assert.equal(changes, ['More labelled requests, or "target: 0.3" in sluice.yaml. Then run again.', advice]);
  assert.is(heldOutVerdict(input(5, 112, 12)).gates[0]?.verdict, "pass");
});

test("the verdict says whether anything out of scope was tested, and when a claim shows nothing", () => {
  assert.equal(heldOutVerdict(input(0, 40, 12)).conditions, ["12 tested requests are out of scope (5%)"]);
  assert.match(heldOutVerdict(input(0, 40, 0)).conditions[0] ?? "", "No out-of-scope request was tested");
  assert.match(heldOutVerdict(input(0, 40, 0, 1)).conditions[0] ?? "", "the claim shows nothing");
});

test("where nothing is certified, what is odd about the texts comes first", () => {
  const { calibration, ...rest } = input(0, 0, 12);
  const nothing = { ...calibration, claims: [{ ...claim, certified: false }] };
  const { changes } = heldOutVerdict({ ...rest, calibration: nothing as unknown as HeldOutInput["calibration"] });
  assert.equal(changes, ["9 of 10 texts contain quoted emails.", advice]);
});
