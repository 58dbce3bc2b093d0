import type { Router } from "../domain/router.js";
import { emitSafely, type TelemetrySink } from "./sink.js";

/** The same router, which also emits one DecisionEvent per answered request. */
export function observeRouter(router: Router, sink: TelemetrySink): Router {
  return {
    lineage: router.lineage,
    bundleId: router.bundleId,
    workflowIds: router.workflowIds,
    integrityProblems: () => router.integrityProblems(),
    score: (request) => router.score(request),
    close: () => router.close(),
    async route(request, signal) {
      const response = await router.route(request, signal);
      emitSafely(sink, {
        event: "sluice.decision",
        requestId: response.requestId,
        decision: response.decision,
        workflowId: response.workflowId,
        confidence: response.confidence,
        reasonCode: response.reasonCode,
        missingInputCount: response.missingInputs.length,
        confirmationRequired: response.confirmationRequired,
        modelVersion: response.modelVersion,
        calibrationVersion: response.calibrationVersion,
        catalogVersion: response.catalogVersion,
        runtimeMode: response.runtimeMode,
        bundleId: router.bundleId,
        latencyMs: response.latencyMs,
      });
      return response;
    },
  };
}
