import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { evaluateRecords } from "../../../eval/metrics/evaluate.js";
import type { Evaluation } from "../../../src/documents/evaluation.js";
import type { Rate } from "../../../src/documents/rate.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aRanked, aRecord, digestOf } from "../../support/score-cases.js";

const records = [
  ...Array.from({ length: 8 }, (_, i) => aRanked(`right-${i}`, 0.9, true)),
  aRanked("wrong", 0.8, false),
  aRecord({ id: "oos", workflow_id: null, candidates: [] }),
];
const base = { records, fold: "eval", runSha256: digestOf(10), topK: 10 } as const;
const calibrated = evaluateRecords({
  ...base,
  calibration: { sha256: digestOf(11), document: aCalibration({ critical: null }) },
});

test("prints k / n, value, interval and clusters of every rate", () => {
  const lines = describeEvaluation(calibrated);
  const line = lines.find((l) => l.includes("selective risk"));
  assert.match(line ?? "", /^ {2}selective risk ↓ +1 \/ 9 +11\.11% {2}\[0\.28%, 48\.25%\] +1$/);
  assert.ok(lines.some((l) => /^ {2}requests {5}10: 9 in scope, for 1 workflow; 1 out of scope$/.test(l)));
  assert.ok(lines.some((l) => /^ {2}correct route +8 +8 +0 +0$/.test(l)));
});

test("one screen has at most 50 lines", () => {
  assert.ok(describeEvaluation(calibrated).length <= 50);
});

test("says that there is no data where there is no number", () => {
  const line = describeEvaluation(calibrated).find((l) => l.includes("clarify precision"));
  assert.match(line ?? "", /0 \/ 0 +no data +0$/);
});

test("rounds interval ends outward", () => {
  const rate: Rate = { ...calibrated.coverage, lower: 0.12349, upper: 0.56781 };
  const line = describeEvaluation({ ...calibrated, coverage: rate }).find((l) => l.includes("  coverage"));
  assert.match(line ?? "", /\[12\.34%, 56\.79%\]/);
});

test("says that there are no decisions without a calibration", () => {
  const lines = describeEvaluation(evaluateRecords({ ...base, calibration: null }));
  assert.ok(lines.some((l) => l.includes("calibration  none")));
  assert.not.ok(lines.some((l) => l.includes("coverage")));
});

test("no line is wider than the limit, whatever the counts", () => {
  const counts = ["k", "n", "workflows", "count", "requests", "in_scope", "out_of_scope"];
  const large = JSON.parse(JSON.stringify(calibrated), (key, value: unknown) =>
    typeof value === "number" && counts.includes(key) ? 1_234_567 : value,
  ) as Evaluation;
  for (const line of describeEvaluation(large)) {
    assert.ok(line.length <= 100, line);
    assert.is(line, line.trimEnd());
  }
  assert.ok(describeEvaluation(large).some((l) => l.includes("1,234,567 / 1,234,567")));
});
