import fc from "fast-check";
import { attribute } from "../../eval/attribution.js";
import { evaluateRecords } from "../../eval/metrics/evaluate.js";
import { outcomeOf } from "../../eval/metrics/outcome-columns.js";
import { type AttributionBucket, riskTiers } from "../../src/documents/choices.js";
import type { Attribution } from "../../src/documents/evaluation.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { assert, test } from "../support/test.js";
import { aCalibration, aCandidate, aRanked, aRecord, digestOf } from "../support/score-cases.js";

const calibration = { ...aCalibration({ high: 0.7, critical: null }), languages: { covered: ["en"] } };
const withMargin = { ...calibration, tiers: { ...calibration.tiers, low: { ...calibration.tiers.low, margin: 0.3 } } };

function bucketOf(record: ScoredRecord, thresholds = calibration): AttributionBucket {
  const outcome = outcomeOf(record, thresholds);
  assert.ok(outcome.decision !== null);
  return attribute(outcome, outcome.decision, thresholds, 5);
}

const other = (probability: number, eligible = true) =>
  aCandidate({ workflow_id: "orders.cancel", probability, eligible });
const outOfScope = (probability: number, missingInputs: readonly string[] = []) =>
  aRecord({ workflow_id: null, candidates: [aCandidate({ probability, missing_inputs: missingInputs })] });

const cases: readonly (readonly [string, ScoredRecord, AttributionBucket])[] = [
  ["routed right", aRecord(), "correct_route"],
  ["in another language", aRecord({ languages: ["de"] }), "other_language"],
  ["what is not wanted", aRecord({ negated: "orders.find" }), "not_one_wish"],
  ["the caller may use nothing", aRecord({ candidates: [], early_reason: "NO_ELIGIBLE_WORKFLOW" }), "not_allowed"],
  ["the pipeline ended early", aRecord({ candidates: [], early_reason: "CONTEXT_TOO_LARGE" }), "ended_early"],
  [
    "the gold workflow is an ineligible competitor",
    aRecord({ candidates: [aCandidate({ eligible: false }), other(0.2)] }),
    "not_allowed",
  ],
  ["retrieved but taken out", aRecord({ candidates: [other(0.9)], gold_rank: 3 }), "not_allowed"],
  ["ranked too low", aRecord({ candidates: [other(0.9)], gold_rank: 6 }), "retrieval_miss"],
  ["not ranked at all", aRecord({ candidates: [], gold_rank: null }), "retrieval_miss"],
  ["another candidate first, and routed", aRecord({ candidates: [other(0.95), aCandidate()] }), "verifier_miss"],
  [
    "another candidate first, not routed",
    aRecord({ candidates: [other(0.4), aCandidate({ probability: 0.3 })] }),
    "verifier_miss",
  ],
  ["a forbidden one before it", aRecord({ candidates: [other(0.95, false), aCandidate()] }), "ineligible_competitor"],
  ["under the retrieval floor", aRecord({ candidates: [aCandidate({ retrieval_score: -2 })] }), "retrieval_floor"],
  ["pattern budget spent", aRecord({ candidates: [aCandidate({ input_timeout: true })] }), "input_timeout"],
  [
    "inputs missing, too unsure to ask",
    aRecord({ candidates: [aCandidate({ probability: 0.4, missing_inputs: ["a"] })] }),
    "inputs_unresolved",
  ],
  [
    "asked for a missing input",
    aRecord({ expected_missing: ["a"], candidates: [aCandidate({ missing_inputs: ["a"] })] }),
    "right_question",
  ],
  [
    "asked though nothing was missing",
    aRecord({ expected_missing: [], candidates: [aCandidate({ missing_inputs: ["a"] })] }),
    "wrong_question",
  ],
  ["tier disabled", aRecord({ candidates: [aCandidate({ risk_tier: "critical" })] }), "tier_disabled"],
  ["under the threshold", aRecord({ candidates: [aCandidate({ risk_tier: "high", probability: 0.6 })] }), "threshold"],
  ["out of scope, routed", outOfScope(0.9), "out_of_scope_routed"],
  ["out of scope, asked", outOfScope(0.9, ["a"]), "out_of_scope_asked"],
  ["out of scope, declined", outOfScope(0.1), "correct_abstention"],
];
for (const [name, record, bucket] of cases) {
  test(`${name}: ${bucket}`, () => {
    assert.is(bucketOf(record), bucket);
  });
}

test("too close to the runner-up: margin", () => {
  assert.is(bucketOf(aRecord({ candidates: [aCandidate(), other(0.8)] }), withMargin), "margin");
});

function attributionOf(records: readonly ScoredRecord[]): Attribution {
  const { detail } = evaluateRecords({
    records,
    fold: "eval",
    runSha256: digestOf(4),
    topK: 5,
    calibration: { sha256: digestOf(5), document: calibration },
    resamples: 0,
  });
  assert.ok(detail.attribution !== null);
  return detail.attribution;
}

test("a wrong route is counted where the right workflow was lost", () => {
  const { rows, wrong_routes } = attributionOf([
    aRanked("missed", 0.9, false),
    aRecord({ id: "second", candidates: [other(0.95), aCandidate()] }),
    aRecord({ id: "right" }),
  ]);
  const routed = rows.filter((row) => row.routed > 0).map(({ bucket, routed: count }) => [bucket, count]);
  assert.equal(routed, [
    ["not_allowed", 1],
    ["verifier_miss", 1],
    ["correct_route", 1],
  ]);
  assert.is(wrong_routes, 2);
});

test("a perfect stage: what each would have routed", () => {
  const { counterfactuals } = attributionOf([
    aRecord({ id: "right" }),
    aRecord({ id: "retriever lost it", candidates: [other(0.9)], gold_rank: 9 }),
    aRecord({ id: "verifier lost it", candidates: [other(0.95), aCandidate()] }),
    aRecord({ id: "threshold lost it", candidates: [aCandidate({ probability: 0.3 })] }),
    aRecord({ id: "out of scope", workflow_id: null, candidates: [other(0.9)] }),
  ]);
  assert.equal(
    counterfactuals.map(({ perfect, coverage, selective_risk, in_scope_right }) => [
      perfect,
      coverage.k,
      selective_risk.k,
      in_scope_right.k,
    ]),
    [
      ["retriever", 4, 2, 2],
      ["verifier", 3, 0, 3],
      ["threshold", 2, 0, 2],
    ],
  );
});

test("no stage can help where the tier is disabled or the workflow never was a candidate", () => {
  const { counterfactuals } = attributionOf([
    aRecord({ id: "never seen", workflow_id: "payments.refund", candidates: [], gold_rank: 9 }),
    aRecord({ id: "disabled", candidates: [aCandidate({ risk_tier: "critical", probability: 0.3 })] }),
  ]);
  const routed = counterfactuals.filter(({ perfect }) => perfect !== "threshold").map(({ coverage }) => coverage.k);
  assert.equal(routed, [0, 0]);
});

const anyRecord = fc
  .record({
    workflowId: fc.constantFrom("orders.find", "orders.cancel", null),
    goldRank: fc.option(fc.integer({ min: 1, max: 9 })),
    expectedMissing: fc.constantFrom(null, [], ["order_id"]),
    earlyReason: fc.constantFrom(null, null, null, "NO_ELIGIBLE_WORKFLOW" as const, "INVALID_CONTEXT" as const),
    candidates: fc.uniqueArray(
      fc
        .record({
          workflowId: fc.constantFrom("orders.find", "orders.cancel", "payments.refund"),
          riskTier: fc.constantFrom(...riskTiers),
          eligible: fc.boolean(),
          probability: fc.constantFrom(0.1, 0.5, 0.8, 0.95),
          missingInputs: fc.constantFrom([], ["order_id"]),
        })
        .map(aCandidate),
      { maxLength: 3, selector: (candidate) => candidate.workflow_id },
    ),
  })
  .map((parts) => aRecord(parts));

test("property: buckets sum to the requests, and wrong routes are lost before verification ends", () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 40 }), (parts) => {
      const found = attributionOf(parts.map((part, i) => ({ ...part, id: `${i}` })));
      const sum = (key: "requests" | "routed" | "asked" | "declined") =>
        found.rows.reduce((total, row) => total + row[key], 0);
      assert.is(sum("requests"), parts.length);
      assert.is(sum("routed") + sum("asked") + sum("declined"), parts.length);
      const routedIn = (...buckets: readonly AttributionBucket[]) =>
        found.rows.filter((row) => buckets.includes(row.bucket)).reduce((total, row) => total + row.routed, 0);
      assert.is(routedIn("not_allowed", "retrieval_miss", "verifier_miss"), found.wrong_routes);
      assert.is(routedIn("correct_route", "out_of_scope_routed") + found.wrong_routes, sum("routed"));
    }),
    { seed: 6, numRuns: 80 },
  );
});
