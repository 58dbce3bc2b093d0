import { driftTable } from "../../reports/drift-table.js";
import type { ReportedRequest } from "../../reports/reported-request.js";
import { assert, test } from "../support/test.js";
import { aCalibration } from "./an-evaluation.js";
import { reportedRequestsOf } from "./reported-requests.js";

const ended = (reason: ReportedRequest["reason"], overrides: Partial<ReportedRequest> = {}, count = 1) =>
  reportedRequestsOf(count).map((request) => ({
    ...request,
    tier: "low" as const,
    routed: false,
    ...overrides,
    reason,
  }));

test("without decisions or a calibration there is no drift", () => {
  assert.equal(driftTable(ended(null), aCalibration()).rows, []);
  assert.equal(driftTable(ended("BELOW_RISK_THRESHOLD"), null).rows, []);
});

test("a statistic is outside where the requests leave the interval of the certification", () => {
  const { rows } = driftTable(ended("ACCEPTED_LOW_RISK", { routed: true, confidence: 0.95 }, 50), aCalibration());
  const rowOf = (label: string) => rows.find(([name]) => name === label)?.slice(2);
  assert.equal(rowOf("coverage, tier low"), ["100.0%", "50", "no"]);
  assert.equal(rowOf("confidence, tier low"), ["0.950", "50", "yes"]);
  assert.not.ok(rows.some(([label]) => label?.includes("medium")));
});
