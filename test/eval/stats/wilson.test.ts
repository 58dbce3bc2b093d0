import { wilson } from "../../../eval/stats/rate.js";
import { assert, near, oracle, test, testWithShared, throws } from "../../support/test.js";

interface WilsonCase {
  readonly k: number;
  readonly n: number;
  readonly conf: number;
  readonly two_sided: readonly [number, number];
  readonly one_sided_lower: number;
  readonly one_sided_upper: number;
}

test("half of ten", () => {
  near(wilson(5, 10, 0.95).lower, 0.236593090512564, 1e-10);
  near(wilson(5, 10, 0.95).upper, 0.7634069094874361, 1e-10);
});

test("no events give exactly 0 and only events give exactly 1", () => {
  assert.is(wilson(0, 7, 0.95).lower, 0);
  assert.is(wilson(7, 7, 0.95).upper, 1);
});

test("no trials are refused", () => {
  throws(() => wilson(0, 0, 0.95), "ARGUMENT_INVALID");
});

testWithShared(test, "87 reference intervals are met", () => {
  const { cases } = oracle<{ cases: readonly WilsonCase[] }>("wilson.json");
  assert.is(cases.length, 87);
  for (const c of cases) {
    const two = wilson(c.k, c.n, c.conf);
    const one = wilson(c.k, c.n, c.conf, 1);
    near(two.lower, c.two_sided[0], 1e-12);
    near(two.upper, c.two_sided[1], 1e-12);
    near(one.lower, c.one_sided_lower, 1e-12);
    near(one.upper, c.one_sided_upper, 1e-12);
  }
});
