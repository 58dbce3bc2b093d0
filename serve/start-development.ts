import type { Router } from "../src/documents/router.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { RouterRuntime } from "../src/router/runtime.js";
import type { TelemetrySink } from "../src/router/telemetry/sink.js";
import { createApp } from "./app.js";
import { listen, type ListenAddress, isLoopbackAddress, localHosts } from "./listen.js";
import { addPages, type PageSource } from "./pages/add-pages.js";
import { ApiSettings } from "./settings.js";
import { createShutdown } from "./shutdown.js";

/** Maximum time for responses in flight at shutdown, in milliseconds. */
const drainLimitMs = 1000;

export interface DevelopmentServer {
  /** Base address, for example `http://127.0.0.1:8080`. */
  readonly address: string;
  /** Stops the server and closes its router; every call returns the same promise. */
  end(): Promise<void>;
}

/**
 * @throws {SluiceError} USAGE if other machines can reach this address
 */
export function requireDevelopmentHost(host: string): void {
  if (isLoopbackAddress(host)) return;
  throw new SluiceError(
    "USAGE",
    `other machines can reach ${host}, and a development server does not authenticate callers`,
    {
      hint: say`Listen on 127.0.0.1, or serve an approved bundle with: ${command`sluice-serve --help`}`,
    },
  );
}

/**
 * Serves a router in development mode to this machine: every caller may use every workflow. Adds the API description at
 * `/openapi.json`, and optional pages. The router is closed when the server stops or fails to start.
 * @throws {SluiceError} USAGE, PORT_IN_USE; PRODUCTION_CONFIGURATION for a production router
 */
export async function startDevelopmentServer(
  router: Router,
  address: ListenAddress,
  telemetry: TelemetrySink,
  pages: PageSource | null = null,
): Promise<DevelopmentServer> {
  const runtime = new RouterRuntime(router);
  try {
    requireDevelopmentHost(address.host);
    const settings = ApiSettings.development({ trustedHosts: localHosts(address.host) });
    const app = createApp(runtime, { settings, telemetry });
    if (pages !== null) addPages(app, pages);
    const shutdown = createShutdown({ app, runtime, pauseMs: 0, drainLimitMs });
    return { address: await listen(app, address), end: () => shutdown.begin() };
  } catch (thrown) {
    await runtime.close();
    throw thrown;
  }
}
