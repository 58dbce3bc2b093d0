import type { ShortlistCalibration, TierCalibration } from "../../../../src/documents/calibration.js";
import { CalibrationSchema } from "../../../../src/documents/calibration.js";
import { type RiskTier, riskTiers } from "../../../../src/documents/choices.js";
import { schemaProblems } from "../../../../src/documents/check-schema.js";
import { requireValidCalibration } from "../../../../src/router/policy/read-calibration.js";
import { assert, test, throws } from "../../../support/test.js";
import { aCalibration, aShortlist, aTier } from "../../../support/builders.js";

const withTiers = (tiers: Partial<Record<RiskTier, TierCalibration>>) =>
  aCalibration({ tiers: { ...aCalibration().tiers, ...tiers } });
const refused = (tiers: Partial<Record<RiskTier, TierCalibration>>): string =>
  throws(() => requireValidCalibration(withTiers(tiers), "calibration.json"), "CALIBRATION_INVALID").message;

test("thresholds that stay or rise with the risk are accepted", () => {
  for (const calibration of [aCalibration(), withTiers({ medium: aTier(0.6, 0.1) })]) {
    assert.is(requireValidCalibration(calibration, "calibration.json"), calibration);
  }
});

test("a threshold may not fall as the risk rises", () => {
  assert.match(refused({ medium: aTier(0.59, 0.1) }), "falls to 0.59 in tier medium");
  assert.match(refused({ critical: aTier(0.9, 0.09) }), "margin threshold falls to 0.09 in tier critical");
});

test("a tier that abstains binds nothing, and hides no fall between its neighbours", () => {
  requireValidCalibration(withTiers({ low: aTier(null, null) }), "calibration.json");
  assert.match(refused({ medium: aTier(null, null), high: aTier(0.5, 0.1) }), "falls to 0.5 in tier high");
});

test("a shortlist has both thresholds exactly where it is certified", () => {
  const listing = (shortlist: Partial<ShortlistCalibration>) => aCalibration({ shortlist: aShortlist(shortlist) });
  const nothing = { certified: false, entry: null, share: null };
  for (const valid of [listing({}), listing(nothing)]) requireValidCalibration(valid, "calibration.json");
  for (const invalid of [{ certified: false }, { entry: null }, { ...nothing, share: 0.1 }]) {
    const { message } = throws(() => requireValidCalibration(listing(invalid), "c.json"), "CALIBRATION_INVALID");
    assert.match(message, "the shortlist is certified without its two thresholds");
  }
});

test("a tier with one threshold of two is refused, and every problem is named", () => {
  const message = refused({ low: aTier(0.5, null), critical: aTier(0.1, 0) });
  assert.match(message, "tier low has only one of its two thresholds");
  assert.match(message, "falls to 0.1 in tier critical");
  assert.match(message, "falls to 0 in tier critical");
});

test("each of the four tiers is required", () => {
  const wire = aCalibration() as unknown as { tiers: Record<string, unknown> };
  assert.equal(schemaProblems(CalibrationSchema, wire), []);
  for (const tier of riskTiers) {
    const { [tier]: _left, ...others } = wire.tiers;
    assert.ok(schemaProblems(CalibrationSchema, { ...wire, tiers: others }).length > 0, tier);
  }
});
