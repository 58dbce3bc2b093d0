import type { RoutableRow } from "../../../calibrate/routable.js";
import { historyWarnings } from "../../../stages/fit/history-warnings.js";
import { perTier } from "../../../calibrate/per-tier.js";
import { aTier } from "../../support/builders.js";
import { assert, test } from "../../support/test.js";

const row = (confidence: number, wrongBefore?: number): RoutableRow => ({
  tier: "low",
  confidence,
  error: true,
  outOfScope: false,
  cluster: "c",
  request: { id: "r", workflow_id: null, ...(wrongBefore === undefined ? {} : { wrong_before: wrongBefore }) },
});

const warningsAt = (threshold: number | null) =>
  historyWarnings(
    { wrong_before: 3 },
    {
      rows: [row(0.99), row(0.9, 0.9), row(0.8, 0.7), row(0.6, 0.6)],
      calibration: { tiers: perTier(() => aTier(threshold, 0)) },
    },
  );

test("requests that an earlier calibration routed wrongly count where the present threshold would route them", () => {
  assert.equal(warningsAt(0.8), [
    "3 requests were routed wrongly by an earlier calibration: 2 count as wrong in this result, because the data or the workflows were edited since; the other is declined now. Replace the test by fresh requests to show that they were repaired.",
  ]);
});

test("that all of them count is said in a word", () => {
  assert.match(
    warningsAt(0.5).join(),
    "3 requests were routed wrongly by an earlier calibration: all count as wrong in this result",
  );
});

test("earlier wrong routes that are all declined now are said not to count", () => {
  const none =
    "3 requests were routed wrongly by an earlier calibration; all are declined now, so none counts in this result.";
  assert.equal([warningsAt(0.95), warningsAt(null)], [[none], [none]]);
});
