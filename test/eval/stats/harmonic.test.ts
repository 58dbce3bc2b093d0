import { harmonic } from "../../../eval/stats/risk-coverage.js";
import { near, test } from "../../support/test.js";

test("small and large numbers equal their sums", () => {
  let sum = 0;
  for (let n = 0; n <= 5000; n += 1) {
    if (n > 0) sum += 1 / n;
    near(harmonic(n), sum, 1e-13, `H(${n})`);
  }
});
