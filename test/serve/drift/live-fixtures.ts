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
  requestId,
  decision: "ROUTE",
  workflowId: "w",
  confidence: 0.9,
  margin: 0.5,
  riskTier: "low",
  reasonCode: "ACCEPTED_LOW_RISK",
  missingInputCount: 0,
  confirmationRequired: false,
  modelVersion: "m",
  calibrationVersion: "c",
  catalogVersion: "k",
  runtimeMode: "production",
  bundleId: "b1" as BundleId,
  latencyMs: 1,
  textDigest: `text of ${requestId}`,
  stagesMs: {},
});
