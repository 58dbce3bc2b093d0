import { headline, headlineText, missedPlan } from "../../reports/headline.js";
import { assert, test } from "../support/test.js";
import { aCalibration } from "./an-evaluation.js";

const [claim] = aCalibration().claims;
assert.ok(claim !== undefined);
const overall = { ...claim, scope: "overall", certified: true } as const;
const planned = { ...aCalibration().fit, target_risk: 0.05 };

test("an overall claim that is looser than planned misses the plan, and one as strict does not", () => {
  const at = (target_risk: number) => aCalibration({ claims: [{ ...overall, target_risk }], fit: planned });
  assert.is(missedPlan(at(0.1)), true);
  assert.is(headline(at(0.1)).at(-1)?.value, "at most 5%: missed");
  assert.is(missedPlan(at(0.05)), false);
  assert.is(headline(at(0.05)).at(-1)?.value, "at most 5%");
});

test("the claim of a tier is planned at its own target", () => {
  const critical = { ...claim, scope: "critical", certified: true, target_risk: 0.2 } as const;
  const calibration = aCalibration({ claims: [critical], fit: planned });
  assert.is(missedPlan(calibration), false);
  assert.is(headline(calibration).at(-1)?.value, "at most 20%");
});

test("nothing is promised by a claim that is not certified", () => {
  const calibration = aCalibration({ claims: [{ ...overall, certified: false }], fit: planned });
  assert.is(missedPlan(calibration), true);
  assert.is(headlineText(calibration), "nothing promised, nothing routed");
});
