import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { signFlipTest } from "../../../eval/stats/paired-tests.js";
import { assert, oracle, test, testWithShared } from "../../support/test.js";

const random = () => seededRandom(1);

test("a router compared with itself has p = 1", () => {
  assert.is(signFlipTest([0, 0, 0], random()).p_value, 1);
  assert.is(signFlipTest([], random()).p_value, 1);
  assert.is(
    signFlipTest(
      Array.from({ length: 30 }, () => 0),
      random(),
    ).p_value,
    1,
  );
});

test("one-sided differences in five workflows reach 2 of 32 patterns", () => {
  assert.equal(signFlipTest([1, 2, 1, 3, 1], random()), { p_value: 2 / 32, method: "exact", workflows: 5 });
});

test("beyond 20 workflows the seeded Monte Carlo value is close to the exact one", () => {
  const differences = [3, -1, 2, 0, 1, 1, -2, 2, 0, 1];
  const exact = signFlipTest(differences, random()).p_value;
  const padded = signFlipTest([...differences, ...Array.from({ length: 15 }, () => 0)], random());
  assert.is(padded.method, "monte-carlo");
  assert.ok(Math.abs(padded.p_value - exact) < 0.02, `${padded.p_value} and ${exact}`);
});

testWithShared(test, "the reference p-value is met exactly", () => {
  const reference = oracle<{ d: readonly number[]; exact_signflip_p_two_sided: number }>("paired_cluster.json");
  assert.is(signFlipTest(reference.d, random()).p_value, reference.exact_signflip_p_two_sided);
});
