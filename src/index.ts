/** The core of Sluice: documents, the routing pipeline and the errors. The HTTP server is `sluice/serve`. */
export { loadCatalog, parseCatalog } from "./catalog/load.js";
export type { Calibration } from "./domain/calibration.js";
export type { Catalog, Workflow } from "./domain/catalog.js";
export type { RiskTier } from "./domain/choices.js";
export type { Decision, DecisionKind, ReasonCode, ScoredCandidate } from "./domain/decision.js";
export type { RoutingPolicy } from "./domain/policy.js";
export type { RouteRequest } from "./domain/request.js";
export type { Health, Lineage, RouteResponse } from "./domain/response.js";
export type { Router, ScoredRequest } from "./domain/router.js";
export { type ErrorCode, errorCodes } from "./errors/codes.js";
export { SluiceError } from "./errors/error.js";
export { type DecisionThresholds, decide } from "./policy/decide.js";
export { RouterRuntime } from "./routing/runtime.js";
