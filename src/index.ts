/** The core of Sluice: documents, routing pipeline and errors. The HTTP server is `sluice/serve`. */
export { loadCatalog, parseCatalog } from "./router/catalog/load.js";
export type { Calibration } from "./documents/calibration.js";
export type { Catalog, Workflow } from "./documents/catalog.js";
export type { RiskTier } from "./documents/choices.js";
export type { Decision, DecisionKind, ReasonCode, ScoredCandidate } from "./documents/decision.js";
export type { RoutingPolicy } from "./documents/policy.js";
export type { RouteRequest } from "./documents/request.js";
export type { Health, Lineage, RouteResponse } from "./documents/response.js";
export type { Router, ScoredRequest } from "./documents/router.js";
export { type ErrorCode, errorCodes } from "./base/error-codes.js";
export { SluiceError } from "./base/error.js";
export { type DecisionThresholds, decide } from "./router/policy/decide.js";
export { RouterRuntime } from "./router/runtime.js";
