import { driftView } from "../../reports/charts/drift.js";
import { funnelView } from "../../reports/charts/funnel.js";
import type { ReportedRequest } from "../../reports/reported-request.js";
import { assert, test } from "../support/test.js";
import { aCalibration, anEvaluation } from "./an-evaluation.js";
import { reportedRequestsOf } from "./reported-requests.js";

const evaluation = anEvaluation(400);
const [aRequest] = reportedRequestsOf(1);

function ended(reason: ReportedRequest["reason"], overrides: Partial<ReportedRequest> = {}): ReportedRequest {
  if (aRequest === undefined) return assert.unreachable("expected a request") as never;
  return { ...aRequest, tier: "low", routed: false, ...overrides, reason };
}

const rowsOf = (requests: readonly ReportedRequest[]) =>
  funnelView(requests, evaluation).data?.rows.map(({ label, requests: count, after }) => [label, count, after]);

test("every request leaves at one gate, in the order in which a decision asks them", () => {
  const requests = [
    ended("ACCEPTED_LOW_RISK", { routed: true, firstIsRight: true }),
    ended("ACCEPTED_LOW_RISK", { routed: true, firstIsRight: true }),
    ended("ACCEPTED_LOW_RISK", { routed: true, firstIsRight: false }),
    ended("AMBIGUOUS_CANDIDATES"),
    ended("BELOW_RISK_THRESHOLD"),
    ended("BELOW_RISK_THRESHOLD", { tier: "critical" }),
    ended("MISSING_REQUIRED_INPUT"),
    ended("NO_WORKFLOW", { tier: null }),
    ended("NO_ELIGIBLE_WORKFLOW", { tier: null }),
    ended("OPEN_ENDED_REASONING", { tier: null }),
  ];
  assert.equal(rowsOf(requests), [
    ["All requests", 10, 0],
    ["Ended before scoring", 1, 9],
    ["Declined by a text guard", 1, 8],
    ["No similar workflow", 1, 7],
    ["Inputs missing, question asked", 1, 6],
    ["Tier abstains", 1, 5],
    ["Below the threshold", 1, 4],
    ["Two workflows too close", 1, 3],
    ["Routed wrong", 1, 2],
    ["Routed right", 2, 0],
  ]);
});

test("routed right and routed wrong are shown where nothing is routed", () => {
  assert.equal(rowsOf([ended("BELOW_RISK_THRESHOLD")])?.slice(-2), [
    ["Routed wrong", 0, 0],
    ["Routed right", 0, 0],
  ]);
});

test("without thresholds there is no funnel and no drift", () => {
  assert.is(funnelView([ended(null)], evaluation).data, null);
  assert.is(driftView([ended(null)], aCalibration()).data, null);
  assert.is(driftView([ended("BELOW_RISK_THRESHOLD")], null).data, null);
});

test("a statistic is outside where the requests leave the interval of the certification", () => {
  const routed = Array.from({ length: 50 }, () => ended("ACCEPTED_LOW_RISK", { routed: true, confidence: 0.95 }));
  const rows = driftView(routed, aCalibration()).data?.rows ?? [];
  const coverage = rows.find(({ label }) => label === "coverage, tier low");
  assert.equal([coverage?.value, coverage?.requests, coverage?.inside], [1, 50, false]);
  assert.is(rows.find(({ label }) => label === "confidence, tier low")?.inside, true);
  assert.not.ok(rows.some(({ label }) => label.includes("medium")));
});
