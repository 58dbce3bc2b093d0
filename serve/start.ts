import type { FastifyInstance } from "fastify";
import type { Router } from "../src/domain/router.js";
import { SluiceError } from "../src/errors/error.js";
import { RouterRuntime } from "../src/routing/runtime.js";
import { LoggingTelemetrySink } from "../src/telemetry/logging-sink.js";
import { silentSink, type TelemetrySink } from "../src/telemetry/sink.js";
import { createApp } from "./app.js";
import type { ServeOptions } from "./arguments.js";
import type { AuthorizerOptions } from "./authorizers/authorizer-options.js";
import type { AuthorizerFactory } from "./authorizers/configure-authorizer.js";
import { listen } from "./listen.js";
import type { LoadBundleOptions } from "./load-production-router.js";
import { isLoopbackAddress, loopbackHosts } from "./loopback.js";
import { ApiSettings } from "./settings.js";
import { createShutdown, type Shutdown } from "./shutdown.js";

/** Milliseconds that answers in flight may take at the end. */
const drainLimitMs = 15_000;

export interface StartDependencies {
  readonly loadBundle: (options: LoadBundleOptions) => Promise<Router>;
  readonly configureAuthorizer: (options: AuthorizerOptions, host: string) => Promise<AuthorizerFactory>;
  readonly clock: () => Date;
  /** Takes JSON lines of the log. */
  readonly writeLog: (line: string) => void;
}

export interface RunningServer {
  /** Base address, for example `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly app: FastifyInstance;
  readonly runtime: RouterRuntime;
  readonly shutdown: Shutdown;
}

/**
 * Loads an approved bundle and listens. Configuration is checked before the bundle is loaded; when a later step
 * fails, the router is closed again.
 * @throws {SluiceError} of any startup rule
 */
export async function startServer(options: ServeOptions, deps: StartDependencies): Promise<RunningServer> {
  const settings = settingsOf(options);
  const authorizerFor = await deps.configureAuthorizer(options.authorizer, options.host);
  const telemetry = telemetryOf(options, deps);
  const { bundle, trust, environment, workers } = options;
  const revocations = options.revocations === null ? {} : { revocations: options.revocations };
  const state = options.state === null ? {} : { state: options.state };
  const load = { bundle, trust, environment, workers, ...revocations, ...state };
  const router = await deps.loadBundle({ ...load, clock: deps.clock, telemetry });
  const runtime = new RouterRuntime(router, { clock: deps.clock });
  try {
    const app = createApp(runtime, {
      authorizer: authorizerFor(runtime),
      settings,
      telemetry,
    });
    const shutdown = createShutdown({ app, runtime, pauseMs: options.drainPauseMs, drainLimitMs });
    return { address: await listen(app, options), app, runtime, shutdown };
  } catch (thrown) {
    await runtime.close();
    throw thrown;
  }
}

/** One line for the operator: where the server listens and what it answers from. */
export function startLine(server: RunningServer): string {
  const { lineage, bundleId } = server.runtime.snapshot();
  const { catalogVersion, calibrationVersion, modelVersion } = lineage;
  const parts = [`catalog ${catalogVersion}`, `calibration ${calibrationVersion}`, `model ${modelVersion}`];
  return `sluice-serve listens on ${server.address}: ${[...parts, `bundle ${bundleId ?? "none"}`].join(", ")}\n`;
}

function settingsOf(options: ServeOptions): ApiSettings {
  const { corsOrigins, bodyLimitBytes } = options;
  const local = isLoopbackAddress(options.host) && options.trustedHosts.length === 0;
  const trustedHosts = local ? loopbackHosts : options.trustedHosts;
  if (trustedHosts.length === 0) {
    throw new SluiceError(
      "PRODUCTION_CONFIGURATION",
      `other machines can reach ${options.host}, and no trusted host is named`,
      {
        hint: "Name the hosts that clients use: --trusted-host router.example.com",
      },
    );
  }
  return ApiSettings.productionDefaults({
    trustedHosts,
    corsOrigins,
    ...(bodyLimitBytes === null ? {} : { bodyLimitBytes }),
  });
}

function telemetryOf(options: ServeOptions, deps: StartDependencies): TelemetrySink {
  if (options.log === "none") return silentSink;
  return new LoggingTelemetrySink({ write: deps.writeLog, clock: deps.clock });
}
