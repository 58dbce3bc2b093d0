import { suite } from "uvu";
import * as assert from "uvu/assert";
import { jointClaim, notCertifiedClaim, tierClaim } from "../../calibrate/claim-text.js";
import type { TestStep } from "../../src/domain/calibration.js";

const test = suite("calibrate/claim-text");

const shipped: TestStep = {
  confidence: 0.7,
  margin: 0.05,
  routed: 1582,
  errors: 16,
  workflows: 60,
  designEffect: 1.3206,
  effectiveRouted: 1197.94,
  pValue: 0.0141,
  upperBound: 0.0431,
  passed: true,
};

const context = { claim: "new-workflows-approximate", icc: 0, outOfScopeShare: 0, declaredShare: null } as const;

test("the claim of a tier states target, confidence, evidence and its limits", () => {
  const text = tierClaim("high", { target: 0.05, delta: 0.0125 }, shipped, {
    ...context,
    icc: 0.0339,
    outOfScopeShare: 0.1,
  });
  assert.match(text, "at most 5.00 % of the requests routed in tier high are estimated to go to a wrong workflow");
  assert.match(text, "at approximate confidence 98.75 %");
  assert.match(text, "16 of 1,582 routed requests were wrong");
  assert.match(text, "counted as 1,197 independent requests (design effect 1.33, ICC 0.04)");
  assert.match(text, "10.00 % of the certification requests were out of scope");
  assert.match(text, "is not a finite-sample proof");
});

test("a confidence is rounded down", () => {
  const text = tierClaim("low", { target: 0.05, delta: 0.05 / 3 }, shipped, context);
  assert.match(text, "at approximate confidence 98.33 %");
});

test("the joint line counts the tiers and names each share of delta once", () => {
  const tests = [
    { target: 0.1, delta: 0.0125 },
    { target: 0.05, delta: 0.0125 },
  ];
  assert.is(
    jointClaim("new-workflows-approximate", tests, 0.05),
    "The statements below hold for all 2 tiers together with probability at least 95.00 %; each tier was tested at 0.0125.",
  );
});

test("a tier that abstains claims nothing", () => {
  assert.match(
    notCertifiedClaim("critical", "TOO_FEW_ROUTED"),
    /^Tier critical is disabled: TOO_FEW_ROUTED\. The router abstains/,
  );
});

test.run();
