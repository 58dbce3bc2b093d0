import { ClockWatch } from "../../../src/router/clock-watch.js";
import { assert, test } from "../../support/test.js";

/** A watch over two clocks that the test moves, both in milliseconds. */
function clocks() {
  const at = { wall: Date.UTC(2026, 2, 1), mono: 5000 };
  const watch = new ClockWatch({ clock: () => new Date(at.wall), now: () => at.mono, toleranceMs: 60_000 });
  return { at, watch };
}

test("clocks that go on together are in order, for years", () => {
  const { at, watch } = clocks();
  const years = 5 * 365 * 86_400_000;
  at.wall += years;
  at.mono += years;
  assert.equal(watch.problems(), []);
});

test("a wall clock moved back beyond the tolerance is a problem until it is right again", () => {
  const { at, watch } = clocks();
  at.wall -= 60_000;
  assert.equal(watch.problems(), []);
  at.wall -= 1;
  assert.match(watch.problems()[0] ?? "", /set back by about 60 s \(CLOCK_ROLLBACK\)/);
  at.wall += 60_001;
  assert.equal(watch.problems(), []);
});

test("a clock that jumped ahead and was put right again is in order", () => {
  const { at, watch } = clocks();
  at.wall += 86_400_000;
  assert.equal(watch.problems(), []);
  at.wall -= 86_400_000;
  assert.equal(watch.problems(), []);
});
