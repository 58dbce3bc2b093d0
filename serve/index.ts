/** Public interface of the production server. */
import { bundleLoader } from "./bundle-loader.js";
import type { BundleLoader } from "./load-production-router.js";

/** Loads a router from the paths of one approved bundle. @throws {SluiceError} of any startup rule */
export const loadProductionRouter: BundleLoader["loadProductionRouter"] = (options) =>
  bundleLoader.loadProductionRouter(options);

export { RouterRuntime } from "../src/routing/runtime.js";
export { LoggingTelemetrySink } from "../src/telemetry/logging-sink.js";
export { createApp } from "./app.js";
export { AuthorizationDenied } from "./authorizer.js";
export { ApiSettings } from "./settings.js";
