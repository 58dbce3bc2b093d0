import { latestClock } from "../../../src/trust/release-state.js";
import { assert, test } from "../../support/test.js";

test("a clock that was moved back shows the latest moment that was seen", () => {
  const at = { now: Date.UTC(2026, 2, 1) };
  const latest = latestClock(() => new Date(at.now));
  at.now -= 1;
  assert.is(latest().getTime(), Date.UTC(2026, 2, 1));
  at.now += 86_400_000;
  const seen = latest().getTime();
  assert.is(seen, at.now);
  at.now -= 86_400_000;
  assert.is(latest().getTime(), seen);
});
