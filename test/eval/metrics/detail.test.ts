import * as fc from "fast-check";
import { evaluateRecords, type EvaluateOptions } from "../../../eval/metrics/evaluate.js";
import { canonicalJson } from "../../../src/base/canonical-json.js";
import type { EvaluationDetail } from "../../../src/documents/evaluation.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, near, oracle, pluck, test, testWithShared, throws } from "../../support/test.js";
import { aCalibration, aCandidate, aRanked, aRecord, counts, digestOf, outOfScope } from "../../support/score-cases.js";

const calibration = { sha256: digestOf(5), document: { ...aCalibration(), out_of_scope_share: 0.3 } };

function detailOf(records: readonly ScoredRecord[], more: Partial<EvaluateOptions> = {}): EvaluationDetail {
  const options = { records, fold: "eval", runSha256: digestOf(4), topK: 10, calibration, resamples: 200 } as const;
  return evaluateRecords({ ...options, ...more }).detail;
}

/** Simulated requests of 12 workflows and 10 out-of-scope rows, in two domains. */
function simulated(count: number, seed = 1): readonly ScoredRecord[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const probability = Math.round((0.02 + 0.96 * random.uniform()) * 1e4) / 1e4;
    if (i % 6 === 0) return outOfScope(`o${i}`, probability * 0.8);
    const workflow = random.integer(0, 11);
    const workflowId = `orders.w${workflow}`;
    const right = random.uniform() < probability;
    return aRecord({
      id: `r${i}`,
      workflow_id: workflowId,
      slices: { domain: workflow % 2 === 0 ? "even" : "odd" },
      gold_rank: right ? 1 : random.integer(2, 12),
      candidates: [aCandidate({ workflow_id: right ? workflowId : "orders.other", probability })],
    });
  });
}

test("each part of the risk has a separate denominator", () => {
  const { risk } = detailOf([
    aRanked("right", 0.9, true),
    aRanked("wrong", 0.8, false),
    aRanked("unsure", 0.3, false),
    outOfScope("routed", 0.7),
    outOfScope("declined", 0.2),
  ]);
  assert.equal(counts(risk.joint_risk), [2, 5]);
  assert.equal(counts(risk.out_of_scope_of_routed), [1, 3]);
  assert.equal(counts(risk.wrong_workflow_of_routed), [1, 3]);
  assert.equal(counts(risk.in_scope_wrong), [1, 3]);
});

test("a router without an error among the routed still feels the correlation of the errors it would make", () => {
  const records = Array.from({ length: 40 }, (_, i) =>
    aRecord({
      id: `${i}`,
      workflow_id: `orders.w${i % 4}`,
      candidates: [
        aCandidate({ workflow_id: i % 4 < 2 ? `orders.w${i % 4}` : "orders.no", probability: i % 4 < 2 ? 0.9 : 0.1 }),
      ],
    }),
  );
  const { selective_risk } = evaluateRecords({
    records,
    fold: "eval",
    runSha256: digestOf(4),
    topK: 10,
    calibration,
    resamples: 0,
  });
  assert.equal(counts(selective_risk), [0, 20]);
  near(selective_risk.effective_n, 2, 1e-9);
});

test("retrieval before and after the candidates that the caller may not use are taken out", () => {
  const forbidden = aCandidate({ workflow_id: "orders.cancel", eligible: false });
  const { retrieval } = detailOf([
    aRecord({ id: "second, then first", gold_rank: 2, candidates: [forbidden, aCandidate()] }),
    aRecord({ id: "may not be used", gold_rank: 1, candidates: [aCandidate({ eligible: false })] }),
    aRecord({ id: "lost", gold_rank: null, candidates: [forbidden] }),
    outOfScope("no gold", 0.4),
  ]);
  assert.equal(counts(retrieval.depths[0]?.recall ?? { k: 0, n: 0 }), [1, 3]);
  assert.equal(counts(retrieval.depths[0]?.eligible_recall ?? { k: 0, n: 0 }), [1, 3]);
  assert.equal(counts(retrieval.depths[1]?.recall ?? { k: 0, n: 0 }), [2, 3]);
  near(retrieval.mean_reciprocal_rank.value, (1 / 2 + 1) / 3, 1e-12);
  assert.equal(pluck(retrieval.depths, "k"), [1, 3, 5, 10]);
});

test("questions: precision of all, recall of the requests and of the inputs that need one", () => {
  const asking = (id: string, expectedMissing: readonly string[] | null, missingInputs: readonly string[]) =>
    aRecord({ id, expected_missing: expectedMissing, candidates: [aCandidate({ missing_inputs: missingInputs })] });
  const { clarification } = detailOf([
    asking("both", ["a", "b"], ["a", "b"]),
    asking("one of two", ["a", "b"], ["b"]),
    asking("routed", ["a"], []),
    asking("needless", [], ["a"]),
  ]);
  assert.equal(counts(clarification.precision), [2, 3]);
  assert.equal(counts(clarification.recall), [2, 3]);
  assert.equal(counts(clarification.missing_input_recall), [3, 5]);
});

test("every band holds its number, comes from the resamples asked for, and the seed decides it", () => {
  const detail = detailOf(simulated(600));
  const estimates = [
    detail.curve.aurc,
    detail.curve.augrc,
    detail.calibration.brier,
    detail.calibration.log_loss,
    detail.out_of_scope.auroc,
    detail.retrieval.mean_reciprocal_rank,
  ];
  for (const { value, band } of estimates) {
    assert.ok(value !== null && band !== null);
    assert.ok(band.lower <= value && value <= band.upper, `${band.lower} ${value} ${band.upper}`);
    assert.is(band.resamples + band.dropped, 200);
  }
  const { equal_width_error } = detail.calibration;
  assert.ok((equal_width_error.band?.upper ?? 0) >= (equal_width_error.value ?? 1));
  const again = canonicalJson(detailOf(simulated(600)));
  assert.is(canonicalJson(detail), again);
  assert.is.not(canonicalJson(detailOf(simulated(600), { seed: 2 })), again);
});

test("bands come only from two clusters or more, and only when asked for", () => {
  assert.is(detailOf([aRanked("a", 0.9, true), aRanked("b", 0.4, false)]).curve.aurc.band, null);
  assert.is(detailOf(simulated(60), { resamples: 0 }).curve.aurc.band, null);
});

test("a fold without out-of-scope rows says so instead of a number", () => {
  const detail = detailOf([aRanked("a", 0.9, true), aRanked("b", 0.4, false)]);
  assert.is(detail.out_of_scope.auroc.value, null);
  assert.is(detail.out_of_scope.auroc.null_reason, "ONE_SIDE_EMPTY");
  assert.is(detail.out_of_scope.false_positive_at_95.value, null);
});

test("slices: tiers by risk, then the dataset's slices, then workflows; each sums to the rows that have it", () => {
  const records = simulated(300);
  const { slices } = detailOf(records);
  assert.equal([...new Set(slices.map(({ dimension }) => dimension))], ["population", "tier", "domain", "workflow"]);
  const sum = (dimension: string) =>
    slices.filter((s) => s.dimension === dimension).reduce((total, s) => total + s.requests, 0);
  assert.is(sum("population"), 300);
  assert.is(sum("tier"), 300);
  assert.is(sum("domain"), 250);
  assert.is(sum("workflow"), 250);
  const even = slices.find((slice) => slice.value === "even");
  const whole = evaluateRecords({
    records: records.filter((record) => record.slices["domain"] === "even"),
    fold: "eval",
    runSha256: digestOf(4),
    topK: 10,
    calibration,
    resamples: 0,
  });
  assert.equal(even?.coverage, whole.coverage);
  assert.equal(even?.verified_top1, whole.verified_top1);
  assert.is(even?.equal_width_error.value, whole.detail.calibration.equal_width_error.value);
});

test("near and far out-of-scope requests are distinguished", () => {
  const near = (id: string, probability: number): ScoredRecord => ({
    ...outOfScope(id, probability),
    population: "near_oos",
  });
  const { out_of_scope: found, slices } = detailOf([
    aRanked("in", 0.8, true),
    near("near", 0.9),
    outOfScope("far", 0.1),
    outOfScope("further", 0.05),
  ]);
  assert.equal(
    found.apart.map(({ population, auroc, false_positive_at_95, routed }) => [
      population,
      auroc.value,
      false_positive_at_95.value,
      ...counts(routed),
    ]),
    [
      ["near_oos", 0, 1, 1, 1],
      ["far_oos", 1, 0, 0, 2],
    ],
  );
  assert.equal(
    slices.filter(({ dimension }) => dimension === "population").map(({ value, requests }) => [value, requests]),
    [
      ["unseen_workflow", 1],
      ["near_oos", 1],
      ["far_oos", 2],
    ],
  );
});

test("without a calibration decisions are undefined everywhere and nothing is attributed", () => {
  const { risk, attribution, clarification, slices } = detailOf(simulated(60), { calibration: null });
  assert.is(attribution, null);
  assert.is(risk.joint_risk.estimate, null);
  assert.is(clarification.recall.estimate, null);
  assert.ok(
    slices.every(({ coverage, selective_risk }) => coverage.estimate === null && selective_risk.estimate === null),
  );
});

test("scores that are not finite and ids that appear twice are refused", () => {
  const bad = aCandidate({ retrieval_score: Number.NaN });
  const infinite = { ...aCandidate(), logits: { mismatch: 0, needs_input: 0, executable: Number.POSITIVE_INFINITY } };
  for (const candidate of [bad, infinite]) {
    throws(() => detailOf([aRecord({ candidates: [candidate] })]), "DOCUMENT_INVALID");
  }
  throws(() => detailOf([aRecord(), aRecord()]), "DOCUMENT_INVALID");
});

test("property: neither order nor an empty fold leaves anything but defined or explained numbers", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.integer(), (count, seed) => {
      const records = simulated(count, seed);
      const found = canonicalJson(detailOf(records, { resamples: 20 }));
      assert.is(canonicalJson(detailOf(seededRandom(seed).shuffle(records), { resamples: 20 })), found);
      assert.not.match(found, /NaN|Infinity/);
    }),
    { seed: 7, numRuns: 30 },
  );
});

testWithShared(test, "recall at 1, 2, 3, 5 and 10 meets the reference", () => {
  const { queries, result } = oracle<{
    readonly queries: readonly { readonly gold: readonly string[]; readonly ranked: readonly string[] }[];
    readonly result: Readonly<Record<string, number>>;
  }>("retrieval.json");
  const records = queries.map(({ gold, ranked }, i) => {
    const rank = ranked.findIndex((id) => gold.includes(id)) + 1;
    return aRecord({ id: `${i}`, gold_rank: rank === 0 ? null : rank });
  });
  for (const k of [1, 2, 3, 5, 10]) {
    const depth = detailOf(records, { topK: k, resamples: 0 }).retrieval.depths.at(-1);
    near(depth?.recall.estimate ?? null, result[`hit@${k}`] ?? Number.NaN, 1e-12);
  }
});
