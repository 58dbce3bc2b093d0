import { createHmac, randomBytes } from "node:crypto";
import type { Decision } from "../../documents/decision.js";
import type { RouteObserver, Router, RouteStage } from "../../documents/router.js";
import { emitSafely, type TelemetrySink } from "./sink.js";

/** Digest of a text, ignoring case and repeated spaces. */
function textDigest(text: string, key: Uint8Array): string {
  const compared = text.trim().toLowerCase().replace(/\s+/gu, " ");
  return createHmac("sha256", key).update(compared).digest("base64url").slice(0, 16);
}

/**
 * Wraps a router so that it emits one DecisionEvent per answered request.
 * @param key  key of the digests that detect repeated texts; never stored. Default: a new random key
 */
export function observeRouter(router: Router, sink: TelemetrySink, key: Uint8Array = randomBytes(32)): Router {
  return withRoute(router, async (request, signal, observer) => {
    const seen = new RequestObservation(observer ?? null);
    const response = await router.route(request, signal, seen);
    emitSafely(sink, {
      event: "sluice.decision",
      request_id: response.request_id,
      decision: response.decision,
      workflow_id: response.workflow_id,
      follow_up: request.previous !== undefined,
      confidence: response.confidence,
      margin: seen.decision?.margin ?? null,
      risk_tier: seen.decision?.risk_tier ?? null,
      ...(seen.decision?.language === undefined ? {} : { language: seen.decision.language }),
      reason_code: response.reason_code,
      missing_input_count: response.missing_inputs.length,
      confirmation_required: response.confirmation_required,
      model_version: response.model_version,
      calibration_version: response.calibration_version,
      catalog_version: response.catalog_version,
      runtime_mode: response.runtime_mode,
      bundle_id: router.bundleId,
      latency_ms: response.latency_ms,
      text_digest: textDigest(request.text, key),
      stages_ms: seen.stagesMs,
    });
    return response;
  });
}

/** The same router with a different implementation of `route`. */
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
