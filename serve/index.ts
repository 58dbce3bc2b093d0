/** Public interface of the production server. */
export type { RouteRequest } from "../src/documents/request.js";
export type { RouteResponse } from "../src/documents/response.js";
export type { Router } from "../src/documents/router.js";
export { SluiceError } from "../src/base/error.js";
export { type ExpectedGeneration, RouterRuntime, type RuntimeSnapshot } from "../src/router/runtime.js";
export { type LoggingSinkOptions, LoggingTelemetrySink } from "../src/router/telemetry/logging-sink.js";
export type { TelemetryEvent, TelemetrySink } from "../src/router/telemetry/sink.js";
export { type AppOptions, createApp } from "./app.js";
export { AuthorizationDenied, type Authorizer, type Grant, type ScopedRequest } from "./authorizer.js";
export { loadProductionRouter, type ProductionRouterOptions } from "./load-production-router.js";
export { ApiSettings, type ApiSettingsOptions } from "./settings.js";
