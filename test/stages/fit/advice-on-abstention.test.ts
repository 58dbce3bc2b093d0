import { suite } from "uvu";
import * as assert from "uvu/assert";
import { adviceByCount } from "../../../stages/fit/fit-thresholds.js";

const test = suite("stages/fit/advice-on-abstention");

const claim = (errors: number, routed: number, certifiedTarget: number | null = null) => ({
  scope: "overall" as const,
  errors,
  routed,
  requests: 216,
  delta: 0.05,
  certified: certifiedTarget !== null,
  target_risk: certifiedTarget ?? 0.05,
});

test("few wrong routes: how many more requests would show the target, in round numbers", () => {
  assert.equal(adviceByCount([claim(1, 60)], 0.05), [
    "For 5 %: about 380 more labelled requests, if the share of wrong routes stays the same.",
  ]);
});

test("a share just below the target: fewer wrong routes, and no number that nobody can collect", () => {
  const [line = ""] = adviceByCount([claim(6, 130)], 0.05);
  assert.match(line, /^For 5 %: fewer wrong routes are needed\. 4\.6 % of 130 routes are wrong/);
  assert.not.match(line, /more labelled/);
});

test("a share above the target must fall first, and nothing is advised where nothing was routed", () => {
  assert.match(adviceByCount([claim(10, 100)], 0.05)[0] ?? "", /10\.0 % of 100 routes are wrong/);
  assert.equal(adviceByCount([claim(0, 0)], 0.05), []);
});

test("the next stricter target comes before the planned one, where they differ", () => {
  const [next = "", planned = "", ...more] = adviceByCount([claim(8, 85, 0.2)], 0.05);
  assert.match(next, /^For 15 %: about \d+ more labelled requests/);
  assert.match(planned, /^For 5 %: fewer wrong routes are needed\. 9\.4 % of 85 routes are wrong/);
  assert.equal(more, []);
  assert.is(adviceByCount([claim(8, 85, 0.1)], 0.05).length, 1);
});

test.run();
