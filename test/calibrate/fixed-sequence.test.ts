import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixedSequence } from "../../calibrate/fixed-sequence.js";
import { fullCoverageIcc, plannedDesignEffect, scopedCounts } from "../../calibrate/intra-cluster-correlation.js";
import { type PointEvidence, pathEvidence } from "../../calibrate/point-evidence.js";
import { pEff } from "../../src/stats/binomial-test.js";
import { clopperPearsonUpper } from "../../src/stats/clopper-pearson.js";
import { near, oracle } from "../support/oracle.js";
import { testWithShared } from "../support/shared.js";

interface Selective900 {
  readonly confidence: readonly number[];
  readonly workflow: readonly number[];
  readonly error: readonly number[];
  readonly alpha: number;
  readonly delta: number;
  readonly icc_full: number;
  readonly rows: readonly {
    readonly t: number;
    readonly n: number;
    readonly k: number;
    readonly p: number;
    readonly ucb: number;
    readonly workflows: number;
    readonly deff: number;
    readonly n_eff: number;
    readonly ucb_cluster: number;
    readonly p_cluster: number;
  }[];
}

interface Ltt {
  readonly fwer: { readonly p: readonly number[]; readonly delta: number; readonly fixed_sequence: readonly number[] };
  readonly selective: {
    readonly confidence: readonly number[];
    readonly error: readonly number[];
    readonly alpha: number;
    readonly delta: number;
    readonly grid: readonly number[];
    readonly rows: readonly {
      readonly t: number;
      readonly n: number;
      readonly k: number;
      readonly p: number;
      readonly ucb: number;
    }[];
  };
}

interface Grid2d {
  readonly confidence: readonly number[];
  readonly margin: readonly number[];
  readonly error: readonly number[];
  readonly alpha: number;
  readonly delta: number;
  readonly cells: readonly {
    readonly t: number;
    readonly g: number;
    readonly n: number;
    readonly k: number;
    readonly p: number;
    readonly ucb: number;
  }[];
}

const test = suite("calibrate/fixed-sequence");

function independentPoint(confidence: number, routed: number, errors: number): PointEvidence {
  const counts = {
    routed,
    errors,
    workflows: routed,
    designEffect: 1,
    effectiveRouted: routed,
    plannedEffective: routed,
  };
  return { confidence, margin: 0, ...counts };
}

function rowsOf(confidence: readonly number[], error: readonly number[], cluster: (i: number) => string) {
  return confidence.map((c, i) => ({
    confidence: c,
    margin: 1,
    error: error[i] === 1,
    outOfScope: false,
    cluster: cluster(i),
  }));
}

const test5 = { target: 0.05, delta: 0.05 };

test("the start is the first point with enough requests for the allowed errors", () => {
  const evidence = [independentPoint(0.9, 152, 0), independentPoint(0.8, 153, 3), independentPoint(0.7, 300, 3)];
  const sequence = fixedSequence(evidence, test5, [3]);
  assert.equal(sequence.start, { index: 1, errors: 3 });
  assert.is(sequence.certified.length, 2);
});

test("the start follows the planned counts, the test the actual ones", () => {
  const point = { ...independentPoint(0.9, 400, 3), plannedEffective: 80 };
  assert.is(fixedSequence([point], test5).start, null);
  const clustered = { ...independentPoint(0.9, 400, 3), effectiveRouted: 40, designEffect: 10 };
  assert.is(fixedSequence([clustered], test5).certified.length, 0);
});

test("the first failure stops, whatever comes after", () => {
  const evidence = [independentPoint(0.9, 160, 0), independentPoint(0.8, 170, 9), independentPoint(0.7, 900, 9)];
  const { trace, certified } = fixedSequence(evidence, test5);
  assert.equal(
    trace.map((step) => step.passed),
    [true, false],
  );
  assert.is(certified.length, 1);
});

test("too few requests test nothing, unless a fallback start is given", () => {
  const evidence = [independentPoint(0.9, 60, 0), independentPoint(0.8, 80, 0)];
  assert.equal(fixedSequence(evidence, test5), { start: null, trace: [], certified: [] });
  const fallback = fixedSequence(evidence, test5, [3, 1, 0]);
  assert.equal(fallback.start, { index: 0, errors: 0 });
  assert.is(fallback.certified.length, 2);
});

test("a point that routes nothing has no evidence", () => {
  const empty = { ...independentPoint(0.9, 0, 0), plannedEffective: 200 };
  const { trace } = fixedSequence([empty], test5);
  assert.is(trace[0]?.pValue, 1);
  assert.is(trace[0]?.upperBound, 1);
  assert.is(trace[0]?.passed, false);
});

test("the certified points are a prefix that a smaller target or delta never enlarges", () => {
  const points = fc
    .array(fc.record({ more: fc.nat(80), wrong: fc.nat(3) }), { minLength: 1, maxLength: 15 })
    .map((steps) => {
      let [routed, errors] = [200, 0];
      return steps.map(({ more, wrong }, i) => {
        routed += more;
        errors += Math.min(more, wrong);
        return { ...independentPoint(1 - i / 100, routed, errors), plannedEffective: 1e6 };
      });
    });
  fc.assert(
    fc.property(points, fc.double({ min: 0.5, max: 1, noNaN: true }), (evidence, factor) => {
      const whole = fixedSequence(evidence, test5);
      for (const [i, step] of whole.certified.entries()) assert.is(step.confidence, evidence[i]?.confidence);
      for (const stricter of [
        { target: 0.05 * factor, delta: 0.05 },
        { target: 0.05, delta: 0.05 * factor },
      ]) {
        assert.ok(fixedSequence(evidence, stricter).certified.length <= whole.certified.length);
      }
    }),
    { seed: 4, numRuns: 100 },
  );
});

test("a strictly increasing transform of scores and thresholds keeps what is certified", () => {
  const scores = Array.from({ length: 400 }, (_, i) => (i * 7919) % 1000).map((n) => n / 1000);
  const rows = scores.map((confidence, i) => ({
    confidence,
    margin: 1,
    error: confidence < 0.4 && i % 3 === 0,
    outOfScope: false,
    cluster: `w${i % 40}`,
  }));
  const path = Array.from({ length: 99 }, (_, i) => ({ confidence: 0.99 - i / 100, margin: 0 }));
  const transform = (x: number) => x ** 3 / (1 + x);
  const certify = (change: (x: number) => number) => {
    const moved = rows.map((r) => ({ ...r, confidence: change(r.confidence) }));
    const fold = { rows: moved, icc: fullCoverageIcc(moved) };
    const points = path.map((p) => ({ ...p, confidence: change(p.confidence) }));
    return fixedSequence(pathEvidence(points, fold, fold), test5).certified.map((step) => step.routed);
  };
  assert.ok(certify((x) => x).length > 0);
  assert.equal(
    certify(transform),
    certify((x) => x),
  );
});

testWithShared(test, "the reference sequence of p-values rejects the same prefix", () => {
  const { fwer } = oracle<Ltt>("ltt.json");
  const evidence = fwer.p.map((p, i) => {
    const trials = Math.log(p) / Math.log(0.95);
    return { ...independentPoint(1 - i / 10, trials, 0), plannedEffective: 1e6 };
  });
  const { certified } = fixedSequence(evidence, { target: 0.05, delta: fwer.delta });
  assert.equal(
    certified.map((_, i) => i),
    fwer.fixed_sequence,
  );
});

testWithShared(test, "on the negative reference case only a start at one error certifies, as known", () => {
  const { selective } = oracle<Ltt>("ltt.json");
  const rows = rowsOf(selective.confidence, selective.error, (i) => `row${i}`);
  const fold = { rows, icc: 0 };
  const path = selective.grid.map((confidence) => ({ confidence, margin: 0 }));
  const evidence = pathEvidence(path, fold, fold);
  for (const [i, row] of selective.rows.entries()) {
    const point = evidence[i];
    assert.equal([point?.confidence, point?.routed, point?.errors], [row.t, row.n, row.k]);
    near(pEff(row.k, row.n, row.n, selective.alpha), row.p, 1e-12);
    near(clopperPearsonUpper(row.k, row.n, selective.delta), row.ucb, 1e-12);
  }
  const shipped = (errors: number) =>
    fixedSequence(evidence, { target: selective.alpha, delta: selective.delta }, [errors]).certified.at(-1)?.confidence;
  assert.equal([0, 1, 3, 5].map(shipped), [undefined, 0.89, undefined, 0.67]);
});

testWithShared(test, "900 reference requests ship .68 as independent and .70 as clustered, from every start", () => {
  const data = oracle<Selective900>("selective_900.json");
  const riskTest = { target: data.alpha, delta: data.delta };
  const path = data.rows.map((row) => ({ confidence: row.t, margin: 0 }));
  const clustered = rowsOf(data.confidence, data.error, (i) => `w${data.workflow[i]}`);
  const icc = fullCoverageIcc(clustered);
  near(icc, data.icc_full, 1e-12);
  const evidenceOf = (rows: typeof clustered) => pathEvidence(path, { rows, icc }, { rows, icc });
  const independent = evidenceOf(rowsOf(data.confidence, data.error, (i) => `row${i}`));
  for (const errors of [0, 1, 3, 5]) {
    assert.is(fixedSequence(independent, riskTest, [errors]).certified.at(-1)?.confidence, 0.68);
    assert.is(fixedSequence(evidenceOf(clustered), riskTest, [errors]).certified.at(-1)?.confidence, 0.7);
  }
  const shipped = fixedSequence(evidenceOf(clustered), riskTest).certified.at(-1);
  assert.equal([shipped?.routed, shipped?.errors], [582, 16]);
  near(shipped?.designEffect ?? null, 1.321, 1e-3);
});

testWithShared(test, "900 reference requests give the reference counts, p-values and limits at each threshold", () => {
  const data = oracle<Selective900>("selective_900.json");
  const clustered = rowsOf(data.confidence, data.error, (i) => `w${data.workflow[i]}`);
  for (const row of data.rows) {
    const routed = clustered.filter((r) => r.confidence >= row.t);
    const errors = routed.filter((r) => r.error).length;
    const effective = routed.length / plannedDesignEffect(scopedCounts(routed), data.icc_full);
    assert.equal([routed.length, errors, new Set(routed.map((r) => r.cluster)).size], [row.n, row.k, row.workflows]);
    near(effective, row.n_eff, 1e-12);
    near(pEff(errors, routed.length, effective, data.alpha), row.p_cluster, 1e-12);
    near(pEff(errors, routed.length, routed.length, data.alpha), row.p, 1e-12);
    const effectiveErrors = routed.length === 0 ? 0 : (errors / routed.length) * effective;
    near(clopperPearsonUpper(effectiveErrors, effective, data.delta), row.ucb_cluster, 1e-12);
  }
});

testWithShared(test, "a grid over confidence and margin without a certifiable cell certifies nothing", () => {
  const data = oracle<Grid2d>("grid2d.json");
  const rows = data.confidence.map((confidence, i) => ({
    confidence,
    margin: data.margin[i] ?? 0,
    error: data.error[i] === 1,
    outOfScope: false,
    cluster: `row${i}`,
  }));
  const fold = { rows, icc: 0 };
  const cells = data.cells.map((cell) => ({ confidence: cell.t, margin: cell.g }));
  const evidence = cells.flatMap((cell) => pathEvidence([cell], fold, fold));
  for (const [i, cell] of data.cells.entries()) {
    assert.equal([evidence[i]?.routed, evidence[i]?.errors], [cell.n, cell.k]);
    near(pEff(cell.k, cell.n, cell.n, data.alpha), cell.p, 1e-12);
    near(clopperPearsonUpper(cell.k, cell.n, data.delta), cell.ucb, 1e-12);
    assert.equal(fixedSequence(evidence.slice(i), { target: data.alpha, delta: data.delta }, [3, 0]).certified, []);
  }
});

test.run();
