import * as fc from "fast-check";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import { type EvaluateOptions, evaluateRecords } from "../../../eval/metrics/evaluate.js";
import { canonicalJson } from "../../../src/base/canonical-json.js";
import { riskTiers } from "../../../src/documents/choices.js";
import type { Evaluation } from "../../../src/documents/evaluation.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { folds } from "../../../src/documents/choices.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aCandidate, aRanked, aRecord, counts, digestOf, outOfScope } from "../../support/score-cases.js";

function evaluate(records: readonly ScoredRecord[], more: Partial<EvaluateOptions> = {}): Evaluation {
  const calibration = { sha256: digestOf(5), document: aCalibration() };
  const options = { records, fold: "eval", runSha256: digestOf(4), topK: 10, calibration, resamples: 0 } as const;
  return evaluateRecords({ ...options, ...more });
}

test("retrieval: counts ranks within 1, 5 and K over in-scope requests only", () => {
  const ranks = [1, 1, 3, 5, 6, 10, 11, null];
  const records = [
    ...ranks.map((goldRank, i) => aRecord({ id: `${i}`, gold_rank: goldRank })),
    aRecord({ id: "oos", workflow_id: null }),
  ];
  const { retrieval, detail } = evaluate(records);
  assert.equal(counts(retrieval.top1), [2, 8]);
  assert.equal(counts(retrieval.recall_at_5), [4, 8]);
  assert.equal(counts(retrieval.recall_at_k), [6, 8]);
  const mrr = (1 + 1 + 1 / 3 + 1 / 5 + 1 / 6 + 1 / 10 + 1 / 11) / 8;
  assert.ok(Math.abs((detail.retrieval.mean_reciprocal_rank.value ?? 0) - mrr) < 1e-12);
});

test("verified top-1: the eligible candidate with the highest confidence, whatever retrieval ranked first", () => {
  const reranked = aRecord({
    id: "a",
    candidates: [
      aCandidate({ workflow_id: "orders.cancel", probability: 0.4, retrieval_score: 0.9 }),
      aCandidate({ probability: 0.8, retrieval_score: 0.1 }),
    ],
  });
  const competitor = aRecord({
    id: "b",
    candidates: [
      aCandidate({ workflow_id: "orders.cancel", probability: 0.95, eligible: false }),
      aCandidate({ probability: 0.8 }),
    ],
  });
  const nothing = aRecord({ id: "c", candidates: [], early_reason: "NO_ELIGIBLE_WORKFLOW" });
  assert.equal(counts(evaluate([reranked, competitor, nothing, aRanked("d", 0.9, false)]).verified_top1), [2, 4]);
});

test("requests that tested a claim have its limit where it counts the same, and no other", () => {
  const records = [aRanked("right", 0.9, true), aRanked("wrong", 0.8, false), aRanked("unsure", 0.3, true)];
  const claim = {
    population: "this_catalog",
    routed: 2,
    effective_routed: 1.5,
    upper_bound: 0.9,
    delta: 0.01,
  } as const;
  const riskOn = (fold: "certify" | "eval", errors: number) => {
    const document = { ...aCalibration(), claims: [{ ...claim, errors }] };
    const own = records.map((record) => ({ ...record, fold }));
    const { method, lower, upper, confidence, effective_n } = evaluate(own, {
      fold,
      calibration: { sha256: digestOf(5), document },
    }).selective_risk;
    return [method, lower === null, upper, method === "claim" ? confidence : null, effective_n];
  };
  assert.equal(riskOn("certify", 1), ["claim", true, 0.9, 0.99, 1.5]);
  assert.equal(riskOn("certify", 2), ["none", true, null, null, null]);
  assert.is(riskOn("eval", 1)[1], false);
});

test("coverage, selective risk and their parts", () => {
  const records = [
    aRanked("right", 0.9, true),
    aRanked("wrong", 0.8, false),
    aRanked("unsure", 0.3, true),
    outOfScope("oos routed", 0.7),
    outOfScope("oos declined", 0.2),
  ];
  const found = evaluate(records);
  assert.equal(counts(found.coverage), [3, 5]);
  assert.equal(counts(found.in_scope_coverage), [2, 3]);
  assert.equal(counts(found.out_of_scope_routed), [1, 2]);
  assert.equal(counts(found.selective_risk), [2, 3]);
  assert.equal(found.decisions, { ROUTE: 3, CLARIFY: 0, LLM_REQUIRED: 2 });
  assert.equal(found.reasons, [
    { reason_code: "ACCEPTED_LOW_RISK", count: 3 },
    { reason_code: "BELOW_RISK_THRESHOLD", count: 2 },
  ]);
});

test("where the claim is about this catalog, families are clusters; otherwise workflows are", () => {
  const records = Array.from({ length: 20 }, (_, i) => ({
    ...aRanked(`${i}`, 0.9, i > 5),
    ...(i < 4 ? { family: "alike" } : {}),
  }));
  const aboutThisCatalog = { ...aCalibration(), claims: [{ population: "this_catalog" }] } as const;
  const families = evaluate(records, { calibration: { sha256: digestOf(5), document: aboutThisCatalog } });
  const workflows = evaluate(records);
  assert.equal([families.cluster, families.selective_risk.clusters], ["family", 17]);
  assert.equal([workflows.cluster, workflows.selective_risk.clusters], ["workflow", 1]);
  assert.equal(counts(families.selective_risk), counts(workflows.selective_risk));
});

test("a router that abstains everywhere has an undefined selective risk, never 0", () => {
  const document = aCalibration({ low: null, medium: null, high: null, critical: null });
  const found = evaluate([aRanked("a", 0.9, true)], { calibration: { sha256: digestOf(5), document } });
  assert.equal(counts(found.coverage), [0, 1]);
  assert.is(found.selective_risk.estimate, null);
  assert.is(found.selective_risk.null_reason, "EMPTY_DENOMINATOR");
});

test("the tier of a request is that of its top candidate", () => {
  const high = { workflow_id: "orders.cancel", risk_tier: "high" } as const;
  const records = [
    aRecord({ id: "a", candidates: [aCandidate({ ...high, probability: 0.9 })] }),
    aRecord({ id: "b", candidates: [aCandidate({ ...high, probability: 0.6 })] }),
    aRanked("c", 0.6, true),
  ];
  const document = aCalibration({ high: 0.7, critical: null });
  const { tiers } = evaluate(records, { calibration: { sha256: digestOf(5), document } });
  assert.equal(
    tiers.map((t) => [t.tier, ...counts(t.routed), ...counts(t.selective_risk), t.threshold, t.margin_threshold]),
    [
      ["low", 1, 1, 0, 1, 0.5, 0],
      ["medium", 0, 0, 0, 0, 0.5, 0],
      ["high", 1, 2, 1, 1, 0.7, 0],
      ["critical", 0, 0, 0, 0, null, null],
    ],
  );
});

test("a clarification is right with the right workflow and, where labelled, an input that is missing", () => {
  const asking = (id: string, more: Partial<ScoredRecord>) =>
    aRecord({ id, candidates: [aCandidate({ missing_inputs: ["order_id", "date"] })], ...more });
  const records = [
    asking("unlabelled", { expected_missing: null }),
    asking("labelled", { expected_missing: ["date", "reason"] }),
    asking("another input", { expected_missing: ["reason"] }),
    asking("nothing missing", { expected_missing: [] }),
    asking("another workflow", { workflow_id: "orders.cancel" as WorkflowId }),
    asking("out of scope", { workflow_id: null }),
    aRecord({ id: "routed" }),
  ];
  const found = evaluate(records);
  assert.equal(counts(found.detail.clarification.precision), [2, 6]);
  assert.is(found.decisions.CLARIFY, 6);
});

test("AURC, ECE, Brier score and curve of a small case worked by hand", () => {
  const records = [
    aRanked("1", 0.9, true),
    aRanked("2", 0.8, true),
    aRanked("3", 0.7, false),
    aRanked("4", 0.6, true),
    aRanked("5", 0.5, false),
  ];
  const found = evaluate(records);
  const close = (actual: number | null, expected: number) => Math.abs((actual ?? Number.NaN) - expected) < 1e-9;
  assert.ok(close(found.detail.curve.aurc.value, (0 + 0 + 1 / 3 + 1 / 4 + 2 / 5) / 5));
  assert.ok(close(found.detail.calibration.equal_width_error.value, (0.1 + 0.2 + 0.7 + 0.4 + 0.5) / 5));
  assert.ok(close(found.detail.calibration.brier.value, (0.01 + 0.04 + 0.49 + 0.16 + 0.25) / 5));
  assert.equal(
    found.risk_coverage.map((p) => [p.threshold, p.accepted, p.errors, p.coverage]),
    [
      [0.9, 1, 0, 0.2],
      [0.8, 2, 0, 0.4],
      [0.7, 3, 1, 0.6],
      [0.6, 4, 1, 0.8],
      [0.5, 5, 2, 1],
    ],
  );
  assert.is(found.reliability.length, 5);
});

test("a request without a candidate lowers the coverage of the curve and is in no other confidence metric", () => {
  const records = [aRanked("a", 0.9, true), aRecord({ id: "b", candidates: [], early_reason: "NO_WORKFLOW" })];
  const found = evaluate(records);
  assert.is(found.detail.curve.aurc.n, 1);
  assert.is(found.risk_coverage.at(-1)?.coverage, 0.5);
});

test("out-of-scope AUROC separates requests whose rounded confidences tie", () => {
  const sure = (id: string, logit: number, workflowId: string | null) => {
    const logits = { mismatch: 0, needs_input: logit, executable: logit };
    return aRecord({ id, workflow_id: workflowId, candidates: [{ ...aCandidate(), logits }] });
  };
  const records = [sure("a", 40, "orders.find"), sure("b", 30, null)];
  assert.is(evaluate(records).detail.out_of_scope.auroc.value, 1);
  assert.is(evaluate([sure("a", 40, "orders.find")]).detail.out_of_scope.auroc.value, null);
});

test("thins a curve to at most 400 points, with the first and the last", () => {
  const records = Array.from({ length: 1000 }, (_, i) => aRanked(`${i}`, 0.9 - i * 0.0005, i % 7 !== 0));
  const { risk_coverage } = evaluate(records);
  assert.is(risk_coverage.length, 400);
  assert.is(risk_coverage[0]?.accepted, 1);
  assert.is(risk_coverage.at(-1)?.accepted, 1000);
});

test("example errors are counted and are in no other number", () => {
  const failed = aRecord({ id: "failed", candidates: [], gold_rank: null, error_code: "MODEL_RUN_FAILED" });
  const { scoring_errors, ...rest } = evaluate([aRecord(), failed]);
  const { scoring_errors: none, ...without } = evaluate([aRecord()]);
  assert.equal([scoring_errors, none], [1, 0]);
  assert.equal(rest, without);
});

test("takes one fold, or all", () => {
  const records = folds.map((fold) => aRecord({ id: fold, fold }));
  assert.is(evaluate(records, { fold: "tune" }).requests, 1);
  assert.is(evaluate(records, { fold: "all" }).requests, 4);
});

test("without a calibration there are no decisions, and the confidence is the verifier's", () => {
  const found = evaluate([aRanked("a", 0.9, true)], { calibration: null });
  assert.is(found.calibration_sha256, null);
  assert.equal(found.decisions, { ROUTE: 0, CLARIFY: 0, LLM_REQUIRED: 0 });
  assert.is(found.coverage.estimate, null);
  assert.equal(found.tiers, []);
  assert.is(found.risk_coverage[0]?.threshold, 0.9);
});

test("an empty fold has only undefined numbers and is JSON-safe", () => {
  const found = evaluate([]);
  canonicalJson(found);
  assert.is(found.retrieval.top1.estimate, null);
  assert.is(found.detail.retrieval.mean_reciprocal_rank.value, null);
  assert.is(found.detail.curve.aurc.value, null);
  assert.equal(found.risk_coverage, []);
});

const anyRecord: fc.Arbitrary<Omit<ScoredRecord, "id" | "cluster">> = fc
  .record({
    workflowId: fc.constantFrom("orders.find", "orders.cancel", "payments.refund", null),
    goldRank: fc.option(fc.integer({ min: 1, max: 20 })),
    expectedMissing: fc.constantFrom(null, [], ["order_id"]),
    errorCode: fc.constantFrom(null, null, null, "MODEL_RUN_FAILED"),
    candidates: fc.array(
      fc
        .record({
          workflowId: fc.constantFrom("orders.find", "orders.cancel", "payments.refund"),
          riskTier: fc.constantFrom(...riskTiers),
          eligible: fc.boolean(),
          probability: fc.constantFrom(0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.95),
          missingInputs: fc.constantFrom([], ["order_id"]),
          inputTimeout: fc.boolean(),
        })
        .map(aCandidate),
      { maxLength: 3 },
    ),
  })
  .map((parts) => aRecord(parts));

const anyRun = fc
  .array(anyRecord, { maxLength: 40 })
  .map((parts) => parts.map((part, i) => aRecord({ ...part, id: `${i}`, cluster: part.workflow_id ?? `row:${i}` })));

test("property: decisions, reasons and scopes sum to the requests", () => {
  fc.assert(
    fc.property(anyRun, (records) => {
      const found = evaluate(records);
      const { ROUTE, CLARIFY, LLM_REQUIRED } = found.decisions;
      assert.is(ROUTE + CLARIFY + LLM_REQUIRED, found.requests);
      assert.is(
        found.reasons.reduce((sum, reason) => sum + reason.count, 0),
        found.requests,
      );
      assert.is(found.in_scope + found.out_of_scope, found.requests);
      assert.is(found.requests + found.scoring_errors, records.length);
      assert.is(found.in_scope_coverage.k + found.out_of_scope_routed.k, found.coverage.k);
      assert.is(found.selective_risk.n, found.coverage.k);
      assert.is(
        found.tiers.reduce((sum, tier) => sum + tier.routed.k, 0),
        found.coverage.k,
      );
      assert.is(
        found.reliability.reduce((sum, bin) => sum + bin.n, 0),
        found.detail.curve.aurc.n,
      );
    }),
    { seed: 3, numRuns: 60 },
  );
});

test("property: the order of the records does not matter", () => {
  fc.assert(
    fc.property(anyRun, fc.integer(), (records, seed) => {
      assert.equal(evaluate(seededRandom(seed).shuffle(records)), evaluate(records));
    }),
    { seed: 4, numRuns: 40 },
  );
});
