/** A monitored bundle and its decisions, for tests of what watches a server. */
import type { Claim } from "../../../src/documents/calibration.js";
import type { BundleId } from "../../../src/documents/primitives.js";
import type { DecisionEvent } from "../../../src/router/telemetry/sink.js";
import { aCalibration } from "../../support/score-cases.js";

export { aClaim } from "../../support/builders.js";

export function aMonitoredCalibration(claims: readonly Claim[]) {
  return {
    calibration: { ...aCalibration(), claims: [...claims] },
    release: null,
    environment: null,
    approvedUntil: () => null,
    deadlineMs: 2000,
    statistics: () => ({}) as never,
  };
}

/** A route of the bundle `b1`. */
export const anEvent = (requestId: string): DecisionEvent => ({
  event: "sluice.decision",
  request_id: requestId,
  decision: "ROUTE",
  workflow_id: "w",
  follow_up: false,
  confidence: 0.9,
  margin: 0.5,
  risk_tier: "low",
  reason_code: "ACCEPTED_LOW_RISK",
  missing_input_count: 0,
  confirmation_required: false,
  model_version: "m",
  calibration_version: "c",
  catalog_version: "k",
  runtime_mode: "production",
  bundle_id: "b1" as BundleId,
  latency_ms: 1,
  text_digest: `text of ${requestId}`,
  stages_ms: {},
});
