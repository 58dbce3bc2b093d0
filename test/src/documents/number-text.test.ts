import {
  counted,
  formatBasis,
  formatConfidence,
  formatCount,
  formatLower,
  formatMeasured,
  formatPercent,
  formatRate,
  formatUpper,
} from "../../../src/documents/number-text.js";
import { rateOf } from "../../support/rate-of.js";
import { assert, test } from "../../support/test.js";

/** n trials of n different workflows, the first k with the event. */
function independent(k: number, n: number) {
  return rateOf(Array.from({ length: n }, (_, index) => ({ cluster: `w${index}`, event: index < k })));
}

test("a rate shows its counts, its estimate and its interval", () => {
  assert.is(formatRate(independent(16, 2617)), "16/2,617 = 0.61% [0.34%, 1.00%]");
  assert.is(formatRate(independent(0, 412)), "0/412 = 0.00% [0.00%, 0.90%]");
});

test("a rate without trials says so instead of showing zero", () => {
  assert.is(formatRate(rateOf([])), "0/0: no data");
  assert.is(formatBasis(rateOf([])), "");
});

test("upper limits are rounded up and lower limits down", () => {
  assert.is(formatUpper(0.00601), "0.0061");
  assert.is(formatLower(0.00609), "0.0060");
  assert.is(formatUpper(1), "1.0000");
  assert.is(formatLower(0), "0.0000");
});

test("limits with at most 4 decimals are unchanged", () => {
  for (const value of [0.0089, 0.0035, 0.29, 0.0001, 0.5816]) {
    assert.is(Number(formatUpper(value)), value);
    assert.is(Number(formatLower(value)), value);
  }
});

test("a printed limit never claims more than the exact one", () => {
  for (let index = 0; index <= 997; index += 1) {
    const value = index / 997;
    assert.ok(Number(formatUpper(value)) >= value, `upper ${value}`);
    assert.ok(Number(formatLower(value)) <= value, `lower ${value}`);
  }
});

test("counts have a comma between thousands", () => {
  assert.equal([0, 999, 1000, 2617, 1234567].map(formatCount), ["0", "999", "1,000", "2,617", "1,234,567"]);
});

test("only the limit of a claim states its independent requests", () => {
  const trials = Array.from({ length: 40 }, (_, index) => ({ cluster: `w${index % 4}`, event: index % 4 === 0 }));
  const rate = rateOf(trials);
  assert.is(rate.method, "cp-neff");
  assert.is(formatBasis(rate), "4 clusters; 95% interval for clustered requests");
  const limited = {
    ...rate,
    method: "claim",
    sides: 1,
    confidence: 0.99,
    lower: null,
    upper: 0.4,
    effective_n: 31.9,
  } as const;
  assert.is(formatRate(limited), "10/40 = 25.00%, limit 40.00%");
  assert.is(formatBasis(limited), "one-sided 99% limit of the claim; counts as 31 independent requests");
  assert.is(formatRate({ ...limited, upper: null }), "10/40 = 25.00%");
  assert.is(formatBasis({ ...limited, upper: null }), "");
});

test("an undefined measure shows its reason", () => {
  assert.is(
    formatMeasured({ value: null, n: 0, null_reason: "EMPTY_DENOMINATOR" }),
    "no data (EMPTY_DENOMINATOR, n = 0)",
  );
  assert.is(formatMeasured({ value: 0.0543, n: 1800, null_reason: null }), "0.0543 (n = 1,800)");
});

test("percents have no floating-point tail", () => {
  assert.is(formatPercent(0.95), "95%");
  assert.is(formatPercent(1 - 0.0125), "98.75%");
});

test("a count has its noun in the right number", () => {
  assert.equal(
    [counted(0, "row"), counted(1, "labelled request"), counted(2617, "request"), counted(1, "entry", "entries")],
    ["0 rows", "1 labelled request", "2,617 requests", "1 entry"],
  );
  assert.is(counted(2, "row has", "rows have"), "2 rows have");
});

test("a confidence is never shown as certainty", () => {
  assert.equal([0.97, 0.9994, 0.9996, 1].map(formatConfidence), ["97.0%", "99.9%", ">99.9%", ">99.9%"]);
});
