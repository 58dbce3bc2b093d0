import { compareSides } from "../../../eval/compare.js";
import { applyGate, type GateInput } from "../../../eval/gates/apply-gate.js";
import { gateMetrics } from "../../../eval/gates/gate-metrics.js";
import { parseGate } from "../../../eval/gates/parse-gate.js";
import { evaluateRecords } from "../../../eval/metrics/evaluate.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { assert, test, throws } from "../../support/test.js";
import { aCalibration, aCandidate, aRanked, aRecord, digestOf } from "../../support/score-cases.js";

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
const comparison = { total: { requests: 4, flips: 2, better: 1, worse: 1 }, measures: [] };
const verdict = (text: string, input: Omit<GateInput, "claims"> = { a, b, comparison }) =>
  applyGate(parseGate(text), { claims: null, ...input }).verdict;

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
  assert.equal(applyGate(parseGate("coverage>=A-0.02"), { a, b, comparison, claims: null }), {
    name: "coverage>=A-0.02",
    verdict: "fail",
    message: "coverage is 0.25, required >= 0.73",
  });
});

test("every metric can be held against itself: what is defined passes, the rest is not shown", () => {
  const both = evaluate([
    aRanked("1", 0.9, true),
    aRanked("2", 0.6, false),
    aRecord({ id: "3", workflow_id: null, candidates: [aCandidate({ probability: 0.7 })] }),
    aRecord({ id: "4", expected_missing: ["a"], candidates: [aCandidate({ missing_inputs: ["a"] })] }),
  ]);
  const shown = gateMetrics.filter((metric) => !/flips$|_change$/.test(metric));
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

/** Requests of many workflows; a share of them is routed wrong. */
const traffic = (wrong: (index: number) => boolean) => ({
  calibration: aCalibration(),
  records: Array.from({ length: 60 }, (_, index) => ({
    ...aRanked(`r${index}`, 0.9, !wrong(index)),
    cluster: `workflow:w${index % 20}`,
  })),
});
const compared = (before: (index: number) => boolean, after: (index: number) => boolean) => {
  const [first, second] = [traffic(before), traffic(after)];
  return { a, b, comparison: compareSides(first, second), claims: null };
};
const never = () => false;
const often = (index: number) => index % 3 === 0;

test("a regression against a baseline fails with its band, an equal run passes, few workflows show nothing", () => {
  const worse = applyGate(parseGate("no_regression"), compared(never, often));
  assert.is(worse.verdict, "fail");
  assert.match(worse.message, /joint_risk 0\.333333 \[0\.\d+, 0\.\d+\]/);
  assert.is(applyGate(parseGate("no_regression"), compared(often, never)).verdict, "pass");
  assert.is(applyGate(parseGate("no_regression"), compared(often, often)).verdict, "pass");
  assert.is(verdict("no_regression"), "not_shown");
  assert.is(verdict("no_regression", { a, b, comparison: null }), "not_shown");
  assert.is(verdict("joint_risk_change.upper<=0.01", compared(never, often)), "fail");
  assert.is(verdict("joint_risk_change<=-0.3", compared(often, never)), "pass");
  assert.is(verdict("coverage_change.lower>=-0.02", compared(never, often)), "pass");
});

test("where a claim counts wrong routes that are declined now, the end of the selective risk is the claim's limit", () => {
  const claims = [{ scope: "overall" as const, certified: true, upper_bound: 0.04 }];
  const counts = { ...b.selective_risk, method: "none" as const, upper: null, lower: null };
  const tested = (text: string, upper: number | null) =>
    applyGate(parseGate(text), {
      a: null,
      b: { ...b, selective_risk: counts },
      comparison: null,
      claims: claims.map((claim) => ({ ...claim, upper_bound: upper })),
    }).verdict;
  assert.is(tested("selective_risk.upper<=0.04", 0.04), "pass");
  assert.is(tested("selective_risk.upper<=0.03", 0.04), "fail");
  assert.is(tested("selective_risk.upper<=0.03", null), "not_shown");
  assert.is(tested("selective_risk.lower<=0.03", 0.04), "not_shown");
});

test("a hint about a gate that compares already is a command that a shell can run", () => {
  const { hint } = throws(() => parseGate("flips<=A"), "USAGE");
  assert.is(hint, "Example: sluice eval compare A B --gate 'flips<=10'");
});

test("certified passes when every claim is, and names those that are not", () => {
  const held = (claims: GateInput["claims"]) =>
    applyGate(parseGate("certified"), { a: null, b, comparison: null, claims });
  assert.is(held([{ scope: "overall", certified: true, upper_bound: 0.04 }]).verdict, "pass");
  assert.equal(
    held([
      { scope: "overall", certified: true, upper_bound: 0.04 },
      { scope: "high", certified: false, upper_bound: null },
    ]),
    { name: "certified", verdict: "fail", message: "not certified: high" },
  );
  assert.is(held(null).verdict, "not_shown");
  assert.is(held([]).verdict, "not_shown");
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
  "flips>=-1",
  "coverage_change>=A",
  "certified>=1",
]) {
  test(`"${text}" is no gate`, () => {
    throws(() => parseGate(text), "USAGE");
  });
}
