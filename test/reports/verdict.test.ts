import { judgeRisk } from "../../reports/tier-view.js";
import { clopperPearson } from "../../src/base/numbers/clopper-pearson.js";
import { rateOf } from "../support/rate-of.js";
import { assert, test } from "../support/test.js";

/** n trials of n different workflows, the first k of them errors. */
function risk(k: number, n: number) {
  return rateOf(Array.from({ length: n }, (_, index) => ({ cluster: `w${index}`, event: index < k })));
}

test("a target above the whole interval passes", () => {
  assert.is(judgeRisk(risk(16, 2617), 0.01).verdict, "pass");
});

test("a target exactly at the upper limit passes", () => {
  const rate = risk(2, 300);
  assert.is(judgeRisk(rate, rate.upper ?? 0).verdict, "pass");
});

test("a target below the whole interval fails", () => {
  assert.is(judgeRisk(risk(60, 600), 0.05).verdict, "fail");
});

test("too little evidence is NOT SHOWN, with the number of requests that would be enough", () => {
  const judged = judgeRisk(risk(0, 412), 0.005);
  assert.is(judged.verdict, "NOT SHOWN");
  assert.match(judged.reason, "About 736 routed requests without an error would show that at most 0.5% are wrong.");
});

test("the number that would be enough is the smallest one that is", () => {
  const judged = judgeRisk(risk(2, 400), 0.01);
  const needed = Number(/About ([\d,]+) routed/.exec(judged.reason)?.[1]?.replaceAll(",", ""));
  const upper = (n: number) => clopperPearson(0.005 * n, n, 0.95).upper;
  assert.ok(upper(needed) <= 0.01 && upper(needed - 1) > 0.01, judged.reason);
});

test("an estimate above the target is NOT SHOWN without a promise that more requests would help", () => {
  const judged = judgeRisk(risk(6, 100), 0.05);
  assert.is(judged.verdict, "NOT SHOWN");
  assert.match(judged.reason, "above the target 5%");
});

test("no routed request is NOT SHOWN, never a pass", () => {
  assert.is(judgeRisk(risk(0, 0), 0.05).verdict, "NOT SHOWN");
});

test("a target of zero with evidence is NOT SHOWN, and no number is named", () => {
  const judged = judgeRisk(risk(0, 50), 0);
  assert.is(judged.verdict, "NOT SHOWN");
  assert.not.match(judged.reason, "would show");
});
