import fc from "fast-check";
import type { TestedRow } from "../../calibrate/claim-reading.js";
import { readAsFixedCatalog } from "../../calibrate/claims/fixed-catalog.js";
import { boundedFullCoverageIcc } from "../../calibrate/intra-cluster-correlation.js";
import {
  canPassWith,
  certifyPath,
  countThresholdSteps,
  newWorkflows,
  type ThresholdStep,
  smallestTarget,
  testThresholdStep,
  thresholdPath,
  unseenWorkflows,
  workflowFloor,
} from "../../calibrate/fixed-sequence-test.js";
import { pEff, pExact } from "../../calibrate/stats/binomial-test.js";
import { clopperPearsonUpper } from "../../src/base/numbers/clopper-pearson.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, near, oracle, pluck, test, testWithShared } from "../support/test.js";

const asIndependent = readAsFixedCatalog([], { inScope: new Map(), outOfScope: new Map() }, null);

interface Selective900 {
  readonly confidence: readonly number[];
  readonly workflow: readonly number[];
  readonly error: readonly number[];
  readonly alpha: number;
  readonly delta: number;
  readonly icc_full: number;
  readonly rows: readonly { readonly t: number; readonly n: number; readonly k: number; readonly workflows: number }[];
}

interface Ltt {
  readonly selective: {
    readonly confidence: readonly number[];
    readonly error: readonly number[];
    readonly alpha: number;
    readonly delta: number;
    readonly grid: readonly number[];
    readonly rows: readonly { readonly t: number; readonly n: number; readonly k: number; readonly p: number }[];
  };
}

const test5 = { target: 0.05, delta: 0.05 };

/** A step whose requests are independent: every request counts. */
function independent(confidence: number, routed: number, errors: number, planned = routed): ThresholdStep {
  return {
    confidence,
    routed,
    errors,
    workflows: routed,
    inScopeWorkflows: routed,
    design_effect: 1,
    planned,
    canPass: (allowed, test) => canPassWith(planned, allowed, test),
    judge: ({ target, delta }) => ({
      pValue: pExact(errors, routed, target),
      upperBound: clopperPearsonUpper(errors, routed, delta),
    }),
  };
}

const rowsOf = (confidence: readonly number[], error: readonly number[], cluster: (i: number) => string) =>
  confidence.map(
    (c, i): TestedRow => ({ confidence: c, error: error[i] === 1, outOfScope: false, cluster: cluster(i) }),
  );

test("the path is a hundred falling thresholds in thousandths, and each routes its share of the requests", () => {
  const random = seededRandom(1);
  const confidences = Array.from({ length: 5000 }, () => random.uniform());
  const path = thresholdPath(confidences);
  assert.is(path.length, 100);
  for (const [i, threshold] of path.entries()) {
    assert.is(Math.round(threshold * 1000) / 1000, threshold);
    if (i > 0) assert.ok(threshold < (path[i - 1] as number));
    assert.ok(confidences.filter((c) => c >= threshold).length >= ((i + 1) / 100) * 5000);
  }
});

test("requests of one confidence give one threshold, no requests give none", () => {
  assert.equal(thresholdPath([0.7, 0.7, 0.7]), [0.7]);
  assert.equal(thresholdPath([]), []);
});

test("the path reads no label: only confidences go in, and their order changes nothing", () => {
  const confidences = Array.from({ length: 300 }, (_, i) => ((i * 7919) % 1000) / 1000);
  assert.equal(thresholdPath(confidences), thresholdPath(confidences.toReversed()));
});

/** Rungs that route as many requests as they count for, and a last one that routes all `requests`. */
const thresholdStepsOf = (planned: readonly number[], requests: number) => [
  ...planned.map((n, i) => independent(0.9 - i / 10, n, 0, n)),
  independent(0.1, requests, 0, planned.at(-1) ?? 0),
];

test("the start allows 3 errors where it can, else 1, else none", () => {
  const startOf = (...planned: readonly number[]) => certifyPath(thresholdStepsOf(planned, 1000), test5).start;
  assert.equal(startOf(152, 153), { index: 1, errors: 3 });
  assert.equal(startOf(60, 93, 152), { index: 1, errors: 1 });
  assert.equal(startOf(58, 59, 92), { index: 1, errors: 0 });
  assert.is(startOf(40, 58), null);
});

test("a start routes at most 60% of the requests where possible, and otherwise as few as possible", () => {
  const startOf = (requests: number) => certifyPath(thresholdStepsOf([59, 93, 153], requests), test5).start;
  assert.equal(startOf(255), { index: 2, errors: 3 });
  assert.equal(startOf(254), { index: 1, errors: 1 });
  assert.equal(startOf(154), { index: 0, errors: 0 });
});

test("the start of a claim about new workflows also needs enough workflows", () => {
  const few = { ...independent(0.9, 400, 0), workflows: 58, inScopeWorkflows: 58 };
  const enough = { ...independent(0.8, 400, 0), workflows: 59, inScopeWorkflows: 59 };
  const all = { ...independent(0.1, 800, 0), workflows: 90, inScopeWorkflows: 90 };
  assert.equal(certifyPath([few, enough, all], test5, { byWorkflow: true }).start, { index: 1, errors: 3 });
  assert.is(certifyPath([few], test5, { byWorkflow: true }).start, null);
});

test("a start that the caller gives is the one that is used", () => {
  const path = [independent(0.9, 93, 1), independent(0.8, 153, 3)];
  assert.equal(certifyPath(path, test5, { initialAllowedErrors: [1] }).start, { index: 0, errors: 1 });
});

test("the first failure stops, whatever comes after", () => {
  const path = [independent(0.9, 160, 0), independent(0.8, 170, 9), independent(0.7, 900, 9)];
  const { trace, certified } = certifyPath(path, test5);
  assert.equal(
    trace.map((step) => step.passed),
    [true, false],
  );
  assert.is(certified.length, 1);
});

test("a step that routes nothing has no evidence", () => {
  const { p_value, upper_bound, passed } = testThresholdStep(independent(0.9, 0, 0), test5);
  assert.equal([p_value, upper_bound, passed], [1, 1, false]);
});

test("certified steps are a prefix that a smaller target or delta never enlarges", () => {
  const paths = fc
    .array(fc.record({ more: fc.nat(80), wrong: fc.nat(3) }), { minLength: 1, maxLength: 15 })
    .map((steps) => {
      let [routed, errors] = [200, 0];
      return steps.map(({ more, wrong }, i) => {
        routed += more;
        errors += Math.min(more, wrong);
        return independent(1 - i / 100, routed, errors, 1e6);
      });
    });
  fc.assert(
    fc.property(paths, fc.double({ min: 0.5, max: 1, noNaN: true }), (path, factor) => {
      const whole = certifyPath(path, test5);
      for (const [i, step] of whole.certified.entries()) assert.is(step.confidence, path[i]?.confidence);
      for (const stricter of [
        { target: 0.05 * factor, delta: 0.05 },
        { target: 0.05, delta: 0.05 * factor },
      ]) {
        assert.ok(certifyPath(path, stricter).certified.length <= whole.certified.length);
      }
    }),
    { seed: 4, numRuns: 100 },
  );
});

test("a claim needs 59, 29, 14, 11 and 9 workflows at 5, 10, 20, 25 and 30%, 86, 42 and 20 at a delta of .0125", () => {
  const needed = (target: number, delta: number): number => {
    let workflows = 1;
    while (workflowFloor(workflows, target) > delta) workflows += 1;
    return workflows;
  };
  assert.equal(
    [0.05, 0.1, 0.2, 0.25, 0.3].map((target) => needed(target, 0.05)),
    [59, 29, 14, 11, 9],
  );
  assert.equal(
    [0.05, 0.1, 0.2].map((target) => needed(target, 0.0125)),
    [86, 42, 20],
  );
});

test("thirteen workflows without an error certify nothing at 10%, however many requests they have", () => {
  const rows = Array.from({ length: 2600 }, (_, i) => ({
    confidence: 0.9,
    error: false,
    outOfScope: false,
    cluster: `w${i % 13}`,
  }));
  const [thresholdStep] = countThresholdSteps([0.5], rows, newWorkflows({ icc: 0, startIcc: 0 }));
  const step = testThresholdStep(thresholdStep as ThresholdStep, { target: 0.1, delta: 0.05 });
  near(step.p_value, 0.9 ** 13, 1e-11);
  near(step.upper_bound, smallestTarget(13, 0.05), 1e-11);
  assert.is(step.passed, false);
  const [counted] = countThresholdSteps([0.5], rows, asIndependent);
  assert.is(testThresholdStep(counted as ThresholdStep, { target: 0.1, delta: 0.05 }).passed, true);
});

test("out-of-scope groups do not count towards the workflow floor (finding C3)", () => {
  const rows = Array.from({ length: 6000 }, (_, i) => {
    const outOfScope = i % 60 >= 16;
    return { confidence: outOfScope && i >= 60 ? 0.1 : 0.9, error: outOfScope, outOfScope, cluster: `w${i % 60}` };
  });
  const path = countThresholdSteps([0.9, 0.1], rows, newWorkflows({ icc: 0, startIcc: 0 }));
  assert.equal([path[0]?.workflows, path[0]?.inScopeWorkflows], [60, 16]);
  assert.ok((path[0]?.judge({ target: 0.1, delta: 0.05 }).pValue ?? 0) >= 0.9 ** 16);
  assert.is(certifyPath(path, { target: 0.1, delta: 0.05 }, { byWorkflow: true }).start, null);
});

test("an always-wrong workflow is added to the rate, with more weight at strict targets (C1, C2)", () => {
  assert.equal([0.02, 0.05, 0.1, 0.2].map(unseenWorkflows), [1.25, 1.25, 0.75, 0.75]);
  const rows = Array.from({ length: 2400 }, (_, i) => ({
    confidence: 0.9,
    error: i < 60,
    outOfScope: false,
    cluster: `w${i % 80}`,
  }));
  const counted = (unseen: number) =>
    countThresholdSteps([0.5], rows, newWorkflows({ icc: 0, startIcc: 0, unseen: () => unseen }))[0]?.judge(test5)
      .pValue ?? Number.NaN;
  near(counted(1), Math.max(pEff(90, 2430, 2400, 0.05), 0.95 ** 80), 1e-12);
  near(counted(0), Math.max(pEff(60, 2400, 2400, 0.05), 0.95 ** 80), 1e-12);
});

const looser = { targets: [0.5, 0.3, 0.2, 0.15, 0.1, 0.05], share: 0.6 };

test("looser targets come first, each at the first step that routes 60%, then the planned one from its start", () => {
  const path = [independent(0.9, 93, 0), independent(0.8, 160, 1), independent(0.7, 300, 2), independent(0.1, 400, 40)];
  const { trace, certified, start } = certifyPath(path, test5, { looser });
  assert.equal(
    trace.map(({ confidence, target_risk, passed }) => [confidence, target_risk ?? 0.05, passed]),
    [
      [0.7, 0.5, true],
      [0.7, 0.3, true],
      [0.7, 0.2, true],
      [0.7, 0.15, true],
      [0.7, 0.1, true],
      [0.8, 0.05, true],
      [0.7, 0.05, true],
      [0.1, 0.05, false],
    ],
  );
  assert.equal(start, { index: 1, errors: 3 });
  assert.equal(pluck(certified, "confidence"), [0.8, 0.7]);
});

test("the last target that passed is the result, and a failure stops the whole sequence", () => {
  const path = [independent(0.9, 200, 0), independent(0.7, 300, 50), independent(0.1, 400, 200)];
  const { trace, certified } = certifyPath(path, test5, { looser });
  assert.equal(
    trace.map(({ target_risk, passed }) => [target_risk, passed]),
    [
      [0.5, true],
      [0.3, true],
      [0.2, false],
    ],
  );
  assert.equal(
    certified.map(({ confidence, target_risk }) => [confidence, target_risk]),
    [[0.7, 0.3]],
  );
});

test("looser targets that no result could pass are left out before labels are read", () => {
  const few = [independent(0.9, 5, 0), independent(0.1, 10, 0)];
  assert.equal(
    certifyPath(few, test5, { looser }).trace.map(({ target_risk }) => target_risk),
    [0.5, 0.3].filter((target) => (1 - target) ** 10 <= 0.05),
  );
});

test("a sequence signs something false in at most delta of the draws, wherever the truth lies", () => {
  const random = seededRandom(11);
  for (const truth of [0.06, 0.11, 0.16, 0.21, 0.31]) {
    let wrong = 0;
    for (let draw = 0; draw < 1000; draw += 1) {
      let [routed, errors] = [0, 0];
      const path = Array.from({ length: 20 }, (_, i) => {
        for (let k = 0; k < 12; k += 1) if (random.uniform() < truth) errors += 1;
        routed += 12;
        return independent(1 - i / 20, routed, errors);
      });
      const last = certifyPath(path, test5, { looser }).certified.at(-1);
      if (last !== undefined && (last.target_risk ?? 0.05) < truth) wrong += 1;
    }
    assert.ok(wrong <= 1000 * (0.05 + 3 * Math.sqrt((0.05 * 0.95) / 1000)), `${wrong} of 1000 at ${truth}`);
  }
});

test("the start reads no label: wrong and out-of-scope requests do not move it", () => {
  const rows = Array.from({ length: 900 }, (_, i) => ({
    confidence: ((i * 7919) % 900) / 900,
    error: false,
    outOfScope: false,
    cluster: `w${i % 90}`,
  }));
  const relabelled = rows.map((row, i) => ({ ...row, error: i % 2 === 0, outOfScope: i % 90 < 20 }));
  const startOf = (of: readonly TestedRow[], icc: number) =>
    certifyPath(
      countThresholdSteps(thresholdPath(of.map((row) => row.confidence)), of, newWorkflows({ icc, startIcc: 0.1 })),
      test5,
      { byWorkflow: true },
    ).start;
  assert.equal(startOf(relabelled, 0.5), startOf(rows, 0));
});

testWithShared(test, "on the negative reference case the start decides, which is why it is settled beforehand", () => {
  const { selective } = oracle<Ltt>("ltt.json");
  const rows = rowsOf(selective.confidence, selective.error, (i) => `row${i}`);
  const path = countThresholdSteps(selective.grid, rows, asIndependent);
  for (const [i, row] of selective.rows.entries()) {
    const thresholdStep = path[i];
    assert.equal([thresholdStep?.confidence, thresholdStep?.routed, thresholdStep?.errors], [row.t, row.n, row.k]);
    near(thresholdStep?.judge({ target: selective.alpha, delta: selective.delta }).pValue ?? null, row.p, 1e-12);
  }
  const shipped = (errors: number) =>
    certifyPath(
      path,
      { target: selective.alpha, delta: selective.delta },
      { initialAllowedErrors: [errors] },
    ).certified.at(-1)?.confidence;
  assert.equal([0, 1, 3, 5].map(shipped), [undefined, 0.89, undefined, 0.67]);
});

testWithShared(test, "900 reference requests ship .68 as independent and .70 as clustered, from every start", () => {
  const data = oracle<Selective900>("selective_900.json");
  const riskTest = { target: data.alpha, delta: data.delta };
  const clustered = rowsOf(data.confidence, data.error, (i) => `w${data.workflow[i]}`);
  const icc = boundedFullCoverageIcc(clustered);
  near(icc, data.icc_full, 1e-12);
  const path = data.rows.map((row) => row.t);
  const asRequests = countThresholdSteps(path, clustered, asIndependent);
  const byWorkflow = countThresholdSteps(path, clustered, newWorkflows({ icc, startIcc: icc, unseen: () => 0 }));
  // 60 workflows are just enough for 5% at 95% confidence, where all of them have a routed request.
  for (const errors of [0, 1, 3, 5]) {
    assert.is(certifyPath(asRequests, riskTest, { initialAllowedErrors: [errors] }).certified.at(-1)?.confidence, 0.68);
    const { certified } = certifyPath(byWorkflow, riskTest, { initialAllowedErrors: [errors], byWorkflow: true });
    assert.ok((certified.at(-1)?.confidence ?? 1) >= 0.7);
  }
  for (const [i, row] of data.rows.entries()) {
    const thresholdStep = byWorkflow[i] as ThresholdStep;
    assert.equal([thresholdStep.routed, thresholdStep.errors, thresholdStep.workflows], [row.n, row.k, row.workflows]);
    const { pValue } = thresholdStep.judge(riskTest);
    const bySize = pEff(
      thresholdStep.errors,
      thresholdStep.routed,
      thresholdStep.routed / thresholdStep.design_effect,
      data.alpha,
    );
    near(pValue, Math.max(bySize, 0.95 ** row.workflows), 1e-12);
  }
});
