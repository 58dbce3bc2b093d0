import {
  confusionPairs,
  bucketCounts,
  errorGroups,
  passesFilter,
  type RequestFilter,
} from "../../../eval/requests/error-groups.js";
import { decideRequests } from "../../../eval/requests/decided-request.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aCandidate, aRanked, aRecord } from "../../support/score-cases.js";

const cancel = (probability: number) => aCandidate({ workflow_id: "orders.cancel", probability });
const records = [
  aRanked("right", 0.9, true),
  aRanked("routed-wrong", 0.9, false),
  aRanked("declined-right", 0.2, true),
  aRanked("declined-wrong", 0.2, false),
  aRecord({ id: "outside", workflow_id: null, candidates: [cancel(0.8)], slices: { channel: "mail" } }),
  aRecord({ id: "outside-declined", workflow_id: null, candidates: [cancel(0.1)] }),
  aRecord({ id: "outside-asked", workflow_id: null, candidates: [aCandidate({ missing_inputs: ["order"] })] }),
  aRecord({
    id: "asked-wrong",
    candidates: [aCandidate({ workflow_id: "orders.cancel", missing_inputs: ["order"] })],
    slices: { channel: "chat" },
  }),
  aRecord({ id: "failed", error_code: "MODEL_RUN_FAILED", candidates: [] }),
  { ...aRanked("tuned", 0.9, false), fold: "tune" as const },
];
const decide = (fold: "eval" | "tune" | "all", calibrated = true) =>
  decideRequests(records, { thresholds: calibrated ? aCalibration() : null, topK: 5, fold });
const found = (filter: RequestFilter) =>
  decide("eval")
    .filter((request) => passesFilter(request, filter))
    .map(({ record }) => record.id);

test("each request is in the bucket of how it ended, under the thresholds that decide", () => {
  assert.equal(
    decide("eval").map(({ record, bucket }) => [record.id, bucket]),
    [
      ["right", "right"],
      ["routed-wrong", "routed_wrong"],
      ["declined-right", "declined_right"],
      ["declined-wrong", "declined_wrong"],
      ["outside", "out_of_scope_routed"],
      ["outside-declined", "right"],
      ["outside-asked", "out_of_scope_asked"],
      ["asked-wrong", "asked_wrong"],
      ["failed", "not_scored"],
    ],
  );
  assert.is(decide("tune").length, 1);
  assert.is(decide("all").length, records.length);
});

test("without thresholds only the order is judged", () => {
  const buckets = decide("eval", false).map(({ bucket }) => bucket);
  assert.equal(
    buckets.filter((bucket) => bucket === "ranked_wrong").length,
    3,
    "routed-wrong, declined-wrong and asked-wrong",
  );
  assert.ok(decide("eval", false).every(({ stage }) => stage === null));
});

test("buckets are counted as k of n, and sum to all requests", () => {
  const counts = bucketCounts(decide("eval"));
  assert.is(
    counts.reduce((sum, { rate }) => sum + rate.k, 0),
    9,
  );
  assert.ok(counts.every(({ rate }) => rate.n === 9));
  assert.is(counts[0]?.bucket, "routed_wrong");
});

test("pairs name the right workflow and the one that came first, most wrong routes first", () => {
  const pairs = confusionPairs(decide("eval"));
  assert.equal(
    pairs,
    [
      { right_workflow_id: "orders.find", first_workflow_id: "orders.cancel", requests: 3, routed: 1, of: 5 },
      { right_workflow_id: null, first_workflow_id: "orders.cancel", requests: 1, routed: 1, of: 3 },
      { right_workflow_id: null, first_workflow_id: "orders.find", requests: 1, routed: 0, of: 3 },
    ].sort((a, b) => b.routed - a.routed || b.requests - a.requests),
  );
});

test("groups count errors by tier, workflow, reason and slice", () => {
  const groups = errorGroups(decide("eval"));
  const of = (dimension: string, value: string) => {
    const group = groups.find((each) => each.dimension === dimension && each.value === value);
    return group === undefined ? null : [group.wrong.k, group.wrong.n];
  };
  assert.equal(of("workflow", "orders.find"), [4, 5]);
  assert.equal(of("workflow", "(out of scope)"), [2, 3]);
  assert.equal(of("channel", "mail"), [1, 1]);
  assert.equal(of("reason", "BELOW_RISK_THRESHOLD"), [2, 3]);
  assert.equal(of("tier", "low"), [6, 8]);
});

test("a filter leaves out what ended well, and every condition must hold", () => {
  assert.is(found({}).length, 7);
  assert.equal(found({ buckets: ["right"] }), ["right", "outside-declined"]);
  assert.equal(found({ buckets: ["routed_wrong", "asked_wrong"] }), ["routed-wrong", "asked-wrong"]);
  assert.equal(found({ reason: "BELOW_RISK_THRESHOLD" }), ["declined-right", "declined-wrong"]);
  assert.equal(found({ pair: { right: null, first: "orders.cancel" } }), ["outside"]);
  assert.equal(found({ slice: { name: "channel", value: "chat" } }), ["asked-wrong"]);
  assert.equal(found({ stages: ["threshold"] }), ["declined-right"]);
  assert.equal(found({ tier: "high" }), []);
  assert.equal(found({ workflow: "orders.cancel", reason: "BELOW_RISK_THRESHOLD" }), ["declined-wrong"]);
});
