import { suite } from "uvu";
import * as assert from "uvu/assert";
import { applyGate, gateMetrics, parseGate } from "../../eval/compare-gates.js";
import { evaluateRecords } from "../../eval/metrics/evaluate.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { throws } from "../support/rejects.js";
import { aCalibration, aCandidate, aRanked, aRecord, digestOf } from "../support/score-cases.js";

const test = suite("eval/compare-gates");

const evaluate = (records: readonly ScoredRecord[], calibrated = true) =>
  evaluateRecords({
    records,
    fold: "eval",
    runSha256: digestOf(1),
    topK: 5,
    calibration: calibrated ? { sha256: digestOf(2), document: aCalibration() } : null,
    resamples: 50,
  });

const a = evaluate([
  aRanked("1", 0.9, true),
  aRanked("2", 0.9, true),
  aRanked("3", 0.2, true),
  aRanked("4", 0.9, false),
]);
const b = evaluate([
  aRanked("1", 0.9, true),
  aRanked("2", 0.3, true),
  aRanked("3", 0.2, true),
  aRanked("4", 0.2, false),
]);
const comparison = { total: { requests: 4, flips: 2, better: 1, worse: 1 } };
const verdict = (text: string, input = { a, b, comparison }) => applyGate(parseGate(text), input).verdict;

const cases: readonly (readonly [string, "pass" | "fail" | "not_shown"])[] = [
  ["coverage>=0.25", "pass"],
  ["coverage>0.25", "fail"],
  ["coverage<0.25", "fail"],
  ["coverage <= 0.25", "pass"],
  ["coverage>=A", "fail"],
  ["coverage>=A-0.5", "pass"],
  ["coverage>=A-0.49", "fail"],
  ["coverage>=A*0.3", "pass"],
  ["coverage<=A+0.1", "pass"],
  ["selective_risk<=0.05", "pass"],
  ["selective_risk.upper<=0.05", "fail"],
  ["selective_risk.lower<=1e-9", "pass"],
  ["low.coverage>=0.2", "pass"],
  ["critical.selective_risk<=0.05", "not_shown"],
  ["auroc>=0.9", "not_shown"],
  ["near_oos_routed<=0.1", "not_shown"],
  ["worse_flips<=1", "pass"],
  ["flips<2", "fail"],
  ["aurc<=A", "pass"],
  ["brier.upper<=1", "not_shown"],
];
for (const [text, expected] of cases) {
  test(`${text}: ${expected}`, () => {
    assert.is(verdict(text), expected);
  });
}

test("the message names the number and the bar", () => {
  assert.equal(applyGate(parseGate("coverage>=A-0.02"), { a, b, comparison }), {
    name: "coverage>=A-0.02",
    verdict: "fail",
    message: "coverage is 0.25, bar >= 0.73",
  });
});

test("every metric can be held against itself: what is defined passes, the rest is not shown", () => {
  const both = evaluate([
    aRanked("1", 0.9, true),
    aRanked("2", 0.6, false),
    aRecord({ id: "3", workflowId: null, candidates: [aCandidate({ probability: 0.7 })] }),
    aRecord({ id: "4", expectedMissing: ["a"], candidates: [aCandidate({ missingInputs: ["a"] })] }),
  ]);
  const shown = gateMetrics.filter((metric) => !metric.endsWith("flips"));
  const verdicts = shown.map((metric) => [metric, verdict(`${metric}>=A`, { a: both, b: both, comparison })]);
  const missing = verdicts.filter(([, found]) => found === "not_shown").map(([metric]) => metric);
  assert.ok(verdicts.every(([, found]) => found !== "fail"));
  assert.equal(missing, [
    "near_oos_routed",
    "medium.coverage",
    "medium.selective_risk",
    "high.coverage",
    "high.selective_risk",
    "critical.coverage",
    "critical.selective_risk",
  ]);
});

test("without decisions no decision gate passes", () => {
  const undecided = evaluate([aRanked("1", 0.9, true)], false);
  assert.is(verdict("joint_risk<=1", { a, b: undecided, comparison }), "not_shown");
  assert.is(verdict("coverage>=A", { a: undecided, b, comparison }), "not_shown");
});

for (const text of [
  "",
  "coverage",
  "coverage=0.5",
  "coverage>=",
  "coverage>=B",
  "coverage>=A/2",
  "coverage>=-1",
  "coverage.middle>=0",
  "accuracy>=0.5",
  "flips<=A",
  "flips.upper<=3",
]) {
  test(`"${text}" is no gate`, () => {
    throws(() => parseGate(text), "USAGE");
  });
}

test.run();
