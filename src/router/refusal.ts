import type { ReasonCode } from "../documents/decision.js";
import type { RoutingPolicy } from "../documents/policy.js";
import type { RouteRequest } from "../documents/request.js";
import type { RuntimeMode } from "../documents/response.js";

export interface RefusalRules {
  readonly policy: Pick<RoutingPolicy, "max_context_bytes" | "refuse_debug_in_production">;
  readonly runtimeMode: RuntimeMode;
  /** Reasons why the bundle is not ready. */
  readonly integrityProblems: () => readonly string[];
}

/** The first rule that ends a request before any workflow is considered; null if none does. */
export function refusalOf(request: RouteRequest, rules: RefusalRules): ReasonCode | null {
  const { policy, runtimeMode, integrityProblems } = rules;
  if (integrityProblems().length > 0) return "RUNTIME_INTEGRITY_FAILURE";
  if (runtimeMode === "production") {
    if (request.catalog_version === null) return "CATALOG_VERSION_REQUIRED";
    if (request.allowed_workflow_ids === null) return "WORKFLOW_ALLOWLIST_REQUIRED";
    if (request.debug && policy.refuse_debug_in_production) return "DEBUG_DISABLED";
  }
  const contextBytes = contextSize(request.context);
  if (contextBytes === null) return "INVALID_CONTEXT";
  return contextBytes > policy.max_context_bytes ? "CONTEXT_TOO_LARGE" : null;
}

/** Size of the context as JSON, in bytes; null if it cannot be written as JSON. */
function contextSize(context: Readonly<Record<string, unknown>>): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(context, refuseInfinite), "utf8");
  } catch {
    return null;
  }
}

/** Refuses infinite numbers, which JSON would write as null; a body can contain them as 1e999. */
function refuseInfinite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number is not finite");
  return value;
}
