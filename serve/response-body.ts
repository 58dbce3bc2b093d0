import { toSnake } from "../src/domain/camel.js";
import type { CandidateDetail, Health, RouteResponse } from "../src/domain/response.js";

/** Wire form of a decision: exactly the fields of the specification, in its order. */
export function routeResponseBody(response: RouteResponse): object {
  return {
    request_id: response.requestId,
    decision: response.decision,
    workflow_id: response.workflowId,
    confidence: response.confidence,
    reason_code: response.reasonCode,
    missing_inputs: response.missingInputs,
    confirmation_required: response.confirmationRequired,
    model_version: response.modelVersion,
    calibration_version: response.calibrationVersion,
    catalog_version: response.catalogVersion,
    runtime_mode: response.runtimeMode,
    latency_ms: response.latencyMs,
    candidates: response.candidates?.map((candidate) => toSnake<CandidateDetail>(candidate)) ?? null,
  };
}

/** Wire form of the health of the active bundle. */
export function healthBody(health: Health): object {
  return {
    status: health.status,
    ready: health.ready,
    model_version: health.modelVersion,
    calibration_version: health.calibrationVersion,
    catalog_version: health.catalogVersion,
    runtime_mode: health.runtimeMode,
    generation: health.generation,
  };
}
