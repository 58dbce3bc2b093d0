import fc from "fast-check";
import { compareSides } from "../../eval/compare.js";
import type { Comparison } from "../../src/documents/comparison.js";
import { describeComparison } from "../../reports/text/comparison-text.js";
import { flatThresholds } from "../../eval/flat-thresholds.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, pluck, test, throws } from "../support/test.js";
import { aCalibration, aCandidate, aRanked, aRecord } from "../support/score-cases.js";

const options = { resamples: 200, seed: 1 };

function compare(
  a: readonly ScoredRecord[],
  b: readonly ScoredRecord[],
  thresholds: { readonly a?: EvaluatedThresholds; readonly b?: EvaluatedThresholds } = {},
): Comparison {
  const [ofA, ofB] = [thresholds.a ?? aCalibration(), thresholds.b ?? aCalibration()];
  return compareSides({ records: a, calibration: ofA }, { records: b, calibration: ofB }, options);
}

const outOfScope = (id: string, probability: number) =>
  aRecord({ id, workflow_id: null, candidates: [aCandidate({ probability })] });

const before = [
  aRanked("kept", 0.9, true),
  aRanked("lost", 0.9, true),
  aRanked("gained", 0.3, true),
  aRanked("now right", 0.8, false),
  outOfScope("oos stopped", 0.7),
  outOfScope("oos still", 0.8),
];
const after = [
  aRanked("kept", 0.95, true),
  aRanked("lost", 0.4, true),
  aRanked("gained", 0.7, true),
  aRanked("now right", 0.8, true),
  outOfScope("oos stopped", 0.2),
  outOfScope("oos still", 0.6),
];

test("flips by effect, worse first, and their counts", () => {
  const found = compare(before, after);
  assert.equal(
    found.flips.map(({ id, effect, a, b }) => [id, effect, a.ending, b.ending]),
    [
      ["lost", "worse", "routed_right", "declined"],
      ["gained", "better", "declined", "routed_right"],
      ["now right", "better", "routed_wrong", "routed_right"],
      ["oos stopped", "better", "routed_wrong", "declined"],
    ],
  );
  assert.equal(found.total, { requests: 6, flips: 4, better: 3, worse: 1 });
  assert.equal(found.by_tier, [{ tier: "low", requests: 6, flips: 4, better: 3, worse: 1 }]);
  assert.equal(
    found.by_workflow.map(({ workflow_id: workflowId, flips }) => [workflowId, flips]),
    [
      ["orders.find", 3],
      [null, 1],
    ],
  );
  assert.is(
    found.endings.reduce((sum, { requests }) => sum + requests, 0),
    6,
  );
});

test("measures of both sides and their paired differences", () => {
  const { measures } = compare(before, after);
  const found = measures.map(({ name, a, b, difference }) => [name, a.k, a.n, b.k, b.n, difference.value]);
  assert.equal(found, [
    ["coverage", 5, 6, 4, 6, 4 / 6 - 5 / 6],
    ["in_scope_right", 2, 4, 3, 4, 0.25],
    ["out_of_scope_routed", 2, 2, 1, 2, -0.5],
    ["joint_risk", 3, 6, 1, 6, 1 / 6 - 3 / 6],
    ["selective_risk", 3, 5, 1, 4, 1 / 4 - 3 / 5],
  ]);
  const joint = measures.find(({ name }) => name === "joint_risk");
  assert.is(joint?.sign_flip?.p_value, 0.5);
  assert.is(measures.at(-1)?.sign_flip, null);
});

test("another wrong workflow is a flip without an effect", () => {
  const to = (workflowId: string) => [aRecord({ candidates: [aCandidate({ workflow_id: workflowId })] })];
  const { flips } = compare(to("orders.cancel"), to("payments.refund"));
  assert.equal(pluck(flips, "effect"), ["neutral"]);
});

test("the same records under a stricter threshold: only declines are new", () => {
  const stricter = aCalibration({ low: 0.85 });
  const { flips } = compare(before, before, { b: stricter });
  assert.ok(flips.length > 0 && flips.every(({ b }) => b.ending === "declined"));
});

test("a right question is worth more than declining, a needless one less", () => {
  const asking = (
    id: string,
    expectedMissing: readonly string[],
    missingInputs: readonly string[],
    probability = 0.9,
  ) =>
    aRecord({
      id,
      expected_missing: expectedMissing,
      candidates: [aCandidate({ missing_inputs: missingInputs, probability })],
    });
  const { flips } = compare(
    [asking("asks rightly", ["a"], ["a"], 0.3), asking("asks needlessly", [], ["a"], 0.3)],
    [asking("asks rightly", ["a"], ["a"]), asking("asks needlessly", [], ["a"])],
  );
  assert.equal(
    flips.map(({ id, effect }) => [id, effect]),
    [
      ["asks needlessly", "worse"],
      ["asks rightly", "better"],
    ],
  );
});

test("requests of one side only, or not scored on a side, are left out and counted", () => {
  const failed = aRecord({ id: "kept", candidates: [], error_code: "MODEL_RUN_FAILED" });
  const found = compare([...before, aRecord({ id: "only a" })], [failed, ...after.slice(1), aRecord({ id: "only b" })]);
  assert.equal([found.requests, found.only_in_a, found.only_in_b, found.not_scored], [5, 1, 1, 1]);
});

test("nothing in common, or two labels of one request, are refused", () => {
  throws(() => compare([aRecord({ id: "a" })], [aRecord({ id: "b" })]), "DOCUMENT_INVALID");
  throws(() => compare([aRecord()], [aRecord({ workflow_id: "orders.cancel" })]), "DOCUMENT_INVALID");
});

test("a difference that every workflow shows is a verdict, one that a few show is a tie", () => {
  const side = (right: (workflow: number) => boolean) =>
    Array.from({ length: 120 }, (_, i) =>
      aRecord({
        id: `${i}`,
        workflow_id: `orders.w${i % 12}`,
        candidates: [aCandidate({ workflow_id: right(i % 12) ? `orders.w${i % 12}` : "orders.other" })],
      }),
    );
  const verdict = (found: Comparison) => found.measures.find(({ name }) => name === "joint_risk")?.verdict;
  assert.is(
    verdict(
      compare(
        side((w) => w % 2 === 0),
        side(() => true),
      ),
    ),
    "b_better",
  );
  assert.is(
    verdict(
      compare(
        side(() => true),
        side((w) => w % 2 === 0),
      ),
    ),
    "a_better",
  );
  assert.is(
    verdict(
      compare(
        side((w) => w !== 3),
        side((w) => w !== 4),
      ),
    ),
    "tied",
  );
});

test("a difference on fewer than six workflows, with p = .5, is not shown, however large it is", () => {
  const side = (right: boolean, workflows: number) =>
    Array.from({ length: 40 * workflows }, (_, i) => {
      const workflowId = `orders.w${i % workflows}`;
      return aRecord({
        id: `${i}`,
        workflow_id: workflowId,
        candidates: [aCandidate({ workflow_id: right ? workflowId : "other" })],
      });
    });
  const joint = (workflows: number) => {
    const { measures } = compare(side(true, workflows), side(false, workflows));
    return measures.find(({ name }) => name === "joint_risk");
  };
  assert.is(joint(2)?.band?.lower, 1);
  assert.is(joint(2)?.sign_flip?.p_value, 0.5);
  assert.is(joint(2)?.verdict, "not_shown");
  assert.is(joint(5)?.verdict, "not_shown");
  assert.is(joint(6)?.verdict, "a_better");
});

test("property: a run compared with itself has no flip, no difference, p = 1 and ties, in any order", () => {
  const record = fc.record({ right: fc.boolean(), probability: fc.constantFrom(0.2, 0.5, 0.8), scope: fc.boolean() });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 30 }), fc.integer(), (parts, seed) => {
      const records = parts.map(({ right, probability, scope }, i) =>
        scope ? aRanked(`${i}`, probability, right) : outOfScope(`${i}`, probability),
      );
      const found = compare(records, seededRandom(seed).shuffle(records));
      assert.is(found.total.flips, 0);
      for (const { difference, sign_flip: signFlip, verdict } of found.measures) {
        assert.ok(difference.value === 0 || difference.value === null);
        assert.ok(signFlip === null || signFlip.p_value === 1);
        assert.ok(verdict === "tied" || verdict === "not_shown");
      }
      assert.is(canonicalJson(found), canonicalJson(compare(records, records)));
    }),
    { seed: 8, numRuns: 60 },
  );
});

test("the lines name both sides, and texts only when they are given", () => {
  const found = compare(before, after);
  const lines = describeComparison(found, { texts: new Map([["lost", "where is my order"]]), mostFlips: 2 });
  const all = lines.join("\n");
  assert.match(all, /coverage +83\.33% +66\.67% +-16\.67 pp/);
  assert.match(all, /worse {3}lost {2}gold orders\.find/);
  assert.match(all, /"where is my order"/);
  assert.match(all, /2 more flips \(use --json\)/);
  assert.not.match(describeComparison(found, { texts: null, mostFlips: 9 }).join("\n"), /where is/);
  assert.not.match(describeComparison(found, { texts: null, mostFlips: 0 }).join("\n"), /gold/);
  for (const line of lines) assert.is(line, line.trimEnd());
});

test("a flat threshold routes at or above its confidence, in every tier", () => {
  const { endings } = compare(before, before, { a: flatThresholds(0), b: flatThresholds(0.75) });
  const declined = endings.filter(({ b }) => b === "declined").reduce((sum, { requests }) => sum + requests, 0);
  assert.is(declined, 2);
});
