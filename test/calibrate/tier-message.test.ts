import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TierCertificate } from "../../calibrate/certify-tier.js";
import { fixedSequence } from "../../calibrate/fixed-sequence.js";
import type { PointEvidence } from "../../calibrate/point-evidence.js";
import { tierMessage } from "../../calibrate/tier-message.js";

const test = suite("calibrate/tier-message");

function point(routed: number, errors: number, designEffect: number): PointEvidence {
  const effectiveRouted = routed / designEffect;
  const counts = { routed, errors, workflows: 16, designEffect, effectiveRouted };
  return { confidence: 0.9, margin: 0, ...counts, plannedEffective: effectiveRouted };
}

function certificate(evidence: readonly PointEvidence[], target: number, requests: number): TierCertificate {
  const riskTest = { target, delta: 0.0125 };
  const sequence = fixedSequence(evidence, riskTest);
  return {
    test: riskTest,
    requests,
    icc: 0.02,
    evidence,
    sequence,
    outcome: { certified: [], reason: "NO_ACCEPTED_ROWS" },
  };
}

test("too few routed requests: what is needed, what there is, and what to add", () => {
  const outcome = { point: null, reason: "TOO_FEW_ROUTED" } as const;
  assert.is(
    tierMessage("high", certificate([point(512, 0, 1.32)], 0.01, 640), outcome, [3]),
    "tier high: target 1.00 % at 0.0125 needs 971 independent routed requests to allow 3 errors (437 to allow none). " +
      "At most 512 are routed, worth 387 after design effect 1.32. Need 584 more independent ones: about 770 routed, or " +
      "963 requests of this tier from 25 more workflows.",
  );
});

test("a risk that is not certified: the counts, the limit and the need", () => {
  const failed = certificate([point(990, 30, 1)], 0.04, 1000);
  const text = tierMessage("critical", failed, { point: null, reason: "RISK_NOT_CERTIFIED" }, [3]);
  assert.match(
    text,
    "at the strictest tested threshold 30 of 990 routed requests were wrong, upper limit 4.50 % at 0.0125, target 4.00 %",
  );
  assert.match(
    text,
    /Tier disabled\. A target of 4\.00 % at 0\.0125 needs about [\d,]+ independent routed requests: about/,
  );
});

test("a risk above the target: more data would not help", () => {
  const failed = certificate([point(990, 90, 1)], 0.04, 1000);
  const text = tierMessage("critical", failed, { point: null, reason: "RISK_NOT_CERTIFIED" }, [3]);
  assert.match(text, "is out of reach at the present risk");
});

test("a certified tier says what half its target would need", () => {
  const passed = certificate([point(600, 3, 1)], 0.04, 700);
  const shipped = passed.sequence.certified[0];
  assert.ok(shipped !== undefined);
  const text = tierMessage("low", passed, { point: shipped, reason: null }, [3]);
  assert.match(
    text,
    /^tier low: certified\. 3 of 600 routed requests were wrong, upper limit 1\.\d\d %, target 4\.00 %\./,
  );
  assert.match(text, "A target of 2.00 % at 0.0125 needs about");
});

test("an untested tier and a raised tier say why", () => {
  const raised = { point: null, reason: "RAISED_POINT_NOT_CERTIFIED" } as const;
  const none = { point: null, reason: "NO_ACCEPTED_ROWS" } as const;
  assert.match(
    tierMessage("high", certificate([], 0.04, 0), none, [3]),
    "no TUNE request could be routed in this tier",
  );
  assert.match(tierMessage("high", certificate([point(0, 0, 1)], 0.04, 9), none, [3]), "no CERTIFY request reaches");
  assert.match(
    tierMessage("high", certificate([point(9, 0, 1)], 0.04, 9), raised, [3]),
    "thresholds must not fall from a lower to a higher tier",
  );
});

test.run();
