import { createHmac, randomBytes } from "node:crypto";
import type { Decision } from "../../documents/decision.js";
import type { RouteObserver, Router, RouteStage } from "../../documents/router.js";
import { emitSafely, type TelemetrySink } from "./sink.js";

/** Texts are compared without case and with single spaces. */
function textDigest(text: string, key: Uint8Array): string {
  const compared = text.trim().toLowerCase().replace(/\s+/gu, " ");
  return createHmac("sha256", key).update(compared).digest("base64url").slice(0, 16);
}

/**
 * The same router, which also emits one DecisionEvent per answered request.
 * @param key  of the digests that recognise repeated texts; never stored. Default: a new random one
 */
export function observeRouter(router: Router, sink: TelemetrySink, key: Uint8Array = randomBytes(32)): Router {
  return withRoute(router, async (request, signal, observer) => {
    const seen = new RequestObservation(observer ?? null);
    const response = await router.route(request, signal, seen);
    emitSafely(sink, {
      event: "sluice.decision",
      requestId: response.requestId,
      decision: response.decision,
      workflowId: response.workflowId,
      confidence: response.confidence,
      margin: seen.decision?.margin ?? null,
      riskTier: seen.decision?.riskTier ?? null,
      reasonCode: response.reasonCode,
      missingInputCount: response.missingInputs.length,
      confirmationRequired: response.confirmationRequired,
      modelVersion: response.modelVersion,
      calibrationVersion: response.calibrationVersion,
      catalogVersion: response.catalogVersion,
      runtimeMode: response.runtimeMode,
      bundleId: router.bundleId,
      latencyMs: response.latencyMs,
      textDigest: textDigest(request.text, key),
      stagesMs: seen.stagesMs,
    });
    return response;
  });
}

/** The same router with another implementation of `route`. */
export function withRoute(router: Router, route: Router["route"]): Router {
  return {
    lineage: router.lineage,
    bundleId: router.bundleId,
    workflowIds: router.workflowIds,
    workflow: (workflowId) => router.workflow(workflowId),
    monitor: router.monitor,
    integrityProblems: () => router.integrityProblems(),
    integrityChecked: (scope) => router.integrityChecked(scope),
    score: (request) => router.score(request),
    close: () => router.close(),
    route,
    shortlist: (request, signal, observer) => router.shortlist(request, signal, observer),
  };
}

/** Keeps what is seen of one request, and passes it on. */
export class RequestObservation implements RouteObserver {
  decision: Decision | null = null;
  readonly stagesMs: Partial<Record<RouteStage, number>> = {};
  readonly #next: RouteObserver | null;

  constructor(next: RouteObserver | null) {
    this.#next = next;
  }

  stage(stage: RouteStage, startedMs: number, endedMs: number): void {
    const sum = (this.stagesMs[stage] ?? 0) + endedMs - startedMs;
    this.stagesMs[stage] = Math.round(sum * 1000) / 1000;
    this.#next?.stage(stage, startedMs, endedMs);
  }

  decided(decision: Decision): void {
    this.decision = decision;
    this.#next?.decided(decision);
  }
}
