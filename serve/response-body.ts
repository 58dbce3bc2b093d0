import type {
  Health,
  HealthBody,
  NotReadyBody,
  RouteResponse,
  RouteResponseBody,
  ShortlistResponse,
  ShortlistResponseBody,
} from "../src/documents/response.js";

/**
 * Body of a decision: exactly the specified fields, in the specified order. `ASK_BETWEEN`, which a policy must enable,
 * adds the workflows to ask about.
 */
export function routeResponseBody({ shortlist, ...body }: RouteResponse): RouteResponseBody {
  return body.reason_code === "ASK_BETWEEN" && shortlist !== null ? { ...body, between: shortlist.workflows } : body;
}

export function shortlistBody(response: ShortlistResponse): ShortlistResponseBody {
  const { request_id, workflows, complete, reason_code, latency_ms } = response;
  const { model_version, calibration_version, catalog_version, runtime_mode } = response;
  return {
    request_id,
    workflows,
    complete,
    reason_code: reason_code as ShortlistResponseBody["reason_code"],
    model_version,
    calibration_version,
    catalog_version,
    runtime_mode,
    latency_ms,
  };
}

/** Health of the active bundle: the specified fields, plus one for a demonstration. */
export function healthBody({ demonstration, ...health }: Health): HealthBody {
  return demonstration ? { ...health, demonstration } : health;
}

/** The same for operators, including the problems that block readiness. */
export function notReadyBody(health: Health, problems: readonly string[]): NotReadyBody {
  return { ...healthBody(health), problems };
}
