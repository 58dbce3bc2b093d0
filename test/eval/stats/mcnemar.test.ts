import { mcNemar } from "../../../eval/stats/paired-tests.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

test("no discordant pair is no evidence", () => {
  assert.equal(mcNemar(0, 0), { exact: 1, mid_p: 1 });
});

test("the direction does not matter", () => {
  assert.equal(mcNemar(9, 2), mcNemar(2, 9));
});

interface McNemarCase {
  readonly b: number;
  readonly c: number;
  readonly exact: number;
  readonly midp: number;
}

testWithShared(test, "reference p-values are met", () => {
  const { cases } = oracle<{ cases: readonly McNemarCase[] }>("mcnemar.json");
  assert.is(cases.length, 7);
  for (const { b, c, exact, midp } of cases) {
    near(mcNemar(b, c).exact, exact, 1e-12, `${b} and ${c}`);
    near(mcNemar(b, c).mid_p, midp, 1e-12, `${b} and ${c}`);
  }
});
