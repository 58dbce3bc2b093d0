import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { monotoneTiers } from "../../calibrate/monotone-tiers.js";
import { perTier } from "../../calibrate/per-tier.js";
import type { TestStep } from "../../src/domain/calibration.js";
import { riskTiers } from "../../src/domain/catalog.js";

const test = suite("calibrate/monotone-tiers");

function step(confidence: number, margin: number, routed = 200): TestStep {
  const counts = { routed, errors: 1, workflows: 20, designEffect: 1, effectiveRouted: 200 };
  return { confidence, margin, ...counts, pValue: 0.001, upperBound: 0.03, passed: true };
}
const certified = (...points: readonly (readonly [number, number])[]) => ({
  outcome: { certified: points.map(([t, g]) => step(t, g)), reason: null },
});
const abstains = { outcome: { certified: [], reason: "TOO_FEW_ROUTED" } } as const;

test("each tier ships its last certified point when that is monotone already", () => {
  const choices = monotoneTiers({
    low: certified([0.9, 0.2], [0.5, 0]),
    medium: certified([0.9, 0.2], [0.6, 0]),
    high: certified([0.9, 0.2], [0.7, 0.1]),
    critical: certified([0.95, 0.2], [0.8, 0.1]),
  });
  assert.equal(
    riskTiers.map((tier) => choices[tier].point?.confidence),
    [0.5, 0.6, 0.7, 0.8],
  );
});

test("a looser higher tier is raised to a point that is certified itself", () => {
  const choices = monotoneTiers({
    low: certified([0.8, 0.1]),
    medium: certified([0.9, 0.1], [0.85, 0.1], [0.7, 0.1]),
    high: abstains,
    critical: abstains,
  });
  assert.is(choices.medium.point?.confidence, 0.85);
});

test("without a strict enough certified point the tier abstains", () => {
  const choices = monotoneTiers({
    low: certified([0.8, 0.1]),
    medium: certified([0.9, 0]),
    high: certified([0.95, 0.2]),
    critical: abstains,
  });
  assert.equal(choices.medium, { point: null, reason: "RAISED_POINT_NOT_CERTIFIED" });
  assert.is(choices.high.point?.confidence, 0.95);
  assert.equal(choices.critical, { point: null, reason: "TOO_FEW_ROUTED" });
});

test("a tier that abstains does not bind the tiers above it", () => {
  const choices = monotoneTiers({
    low: certified([0.3, 0]),
    medium: abstains,
    high: certified([0.4, 0]),
    critical: abstains,
  });
  assert.is(choices.high.point?.confidence, 0.4);
});

test("a strict tier that routes little abstains where it would stop tiers that route more", () => {
  const strict = (routed: number) => ({ outcome: { certified: [step(0.9, 0.3, routed)], reason: null } });
  const above = { medium: certified([0.7, 0.1]), high: certified([0.8, 0.1]), critical: abstains };
  const few = monotoneTiers({ low: strict(150), ...above });
  assert.equal(few.low, { point: null, reason: "RAISED_POINT_NOT_CERTIFIED" });
  assert.is(few.medium.point?.confidence, 0.7);
  assert.is(few.high.point?.confidence, 0.8);
  const many = monotoneTiers({ low: strict(500), ...above });
  assert.is(many.low.point?.routed, 500);
  assert.is(many.high.reason, "RAISED_POINT_NOT_CERTIFIED");
});

test("shipped thresholds never fall from tier to tier, and each is certified in its tier", () => {
  const points = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })), { maxLength: 8 })
    .map((pairs) => {
      let [t, g] = [20, 20];
      return pairs.map(([a, b]) => {
        [t, g] = [Math.min(t, a), Math.min(g, b)];
        return [t / 20, g / 20] as const;
      });
    });
  fc.assert(
    fc.property(fc.tuple(points, points, points, points), (paths) => {
      const certificates = perTier((tier) => {
        const path = paths[riskTiers.indexOf(tier)] ?? [];
        return path.length === 0 ? abstains : certified(...path);
      });
      const choices = monotoneTiers(certificates);
      let floor = { confidence: 0, margin: 0 };
      for (const tier of riskTiers) {
        const { point } = choices[tier];
        if (point === null) continue;
        assert.ok(point.confidence >= floor.confidence && point.margin >= floor.margin);
        assert.ok(certificates[tier].outcome.certified.includes(point as never));
        floor = point;
      }
    }),
    { seed: 15, numRuns: 200 },
  );
});

test.run();
