import { describeExactEvents } from "../../release/describe-exact-events.js";
import { assert, test } from "../support/test.js";

test("the setting is off, or names its tiers and what a server needs for it", () => {
  assert.is(describeExactEvents({ enabled: false, allowed_tiers: ["low"] }), "off");
  assert.is(
    describeExactEvents({ enabled: true, allowed_tiers: ["low", "high"], abstaining_tiers: ["high"] }),
    "on, routes to tiers low, high with confidence 1, without thresholds, to high even where the calibration" +
      " abstains; needs --allow-exact-events and callers granted events",
  );
});
