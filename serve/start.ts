import { realpath } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { namedSome } from "../src/base/text.js";
import { pathExists } from "../src/base/files.js";
import { revocationsNextTo } from "../src/trust/revocation-file.js";
import { latestClock, readReleaseState } from "../src/trust/release-state.js";
import { SluiceError } from "../src/base/error.js";
import { usualThreads } from "../src/inference/usual-threads.js";
import { RouterRuntime } from "../src/router/runtime.js";
import type { TelemetrySink } from "../src/router/telemetry/sink.js";
import { createApp } from "./app.js";
import type { ServeOptions } from "./arguments.js";
import { BundleManager } from "./control/bundle-manager.js";
import { startControlServer } from "./control/control-server.js";
import { requireMemory } from "./control/require-memory.js";
import { demonstrationWarning, isDemonstration } from "./demonstration.js";
import { connectionsWithin } from "./descriptor-limit.js";
import { listen, isLoopbackAddress, localHosts } from "./listen.js";
import { type FirstBundle, loadFirst } from "./load-first.js";
import type { LoadedBundle } from "./load-production-router.js";
import { observe, type ServerObservation } from "./observation.js";
import { ApiSettings } from "./settings.js";
import { Shadow, shadowedRouter } from "./shadow/shadow.js";
import { createShutdown, type Shutdown } from "./shutdown.js";
import type { StartDependencies } from "./start-dependencies.js";
import { BundleWatch } from "./watch/bundle-watch.js";

/** Maximum time for responses in flight at shutdown, in milliseconds. */
const drainLimitMs = 15_000;
/** Interval between two checks of the watched path, in milliseconds. */
const watchIntervalMs = 1000;

export interface RunningServer {
  /** Base address, for example `http://127.0.0.1:8080`. */
  readonly address: string;
  /** Base address of `GET /metrics`; null without metrics. */
  readonly metricsAddress: string | null;
  /** Address of the operators' page; null without one. */
  readonly opsAddress: string | null;
  /** Newer release that the state file names, as after a replacement of an earlier process; otherwise null. */
  readonly newerRelease: number | null;
  /** Workflow ids of the grant policy that the first bundle lacks. */
  readonly unknownGrants: readonly string[];
  readonly app: FastifyInstance;
  readonly runtime: RouterRuntime;
  readonly shutdown: Shutdown;
  /**
   * Checks the watched path immediately, including bundles that were refused or taken out of service. Never rejects.
   */
  readonly reload: () => Promise<void>;
}

/**
 * Loads an approved bundle and listens. The configuration is checked before the bundle is loaded. If a later step
 * fails, everything is closed.
 * @throws {SluiceError} the code of any startup check
 */
export async function startServer(given: ServeOptions, deps: StartDependencies): Promise<RunningServer> {
  const options = await withRevocations(given);
  requireAuthenticatedEvents(options);
  const settings = settingsOf(options, await deps.machine.descriptorLimit());
  const authorizerFor = await deps.configureAuthorizer(options.authorizer, options.host);
  const observation = observe(options, deps);
  const closeLast: (() => Promise<void>)[] = [observation.close];
  try {
    const shadow = await loadShadow(options, deps, observation.log);
    if (shadow !== null) closeLast.unshift(() => shadow.close());
    const load = bundleLoad(options, deps, observation.telemetry, shadow);
    const path = options.watch ?? options.bundle ?? "";
    const first = await loadFirst(options.bundle ?? path, load, observation.telemetry);
    const runtime = new RouterRuntime(first.router, { clock: deps.clock });
    closeLast.unshift(() => runtime.close());
    observation.watch(runtime, shadow);
    const manager = bundleManager({ runtime, directory: first.directory, load, options, deps, observation });
    const app = createApp(runtime, {
      authorizer: authorizerFor(runtime),
      settings,
      telemetry: observation.telemetry,
      drifting: () => observation.drift.drifting(),
      mcp: options.mcp,
    });
    observation.addTo(app, runtime);
    const newerRelease = await releaseAbove(runtime, options);
    const { telemetry } = observation;
    const watch = new BundleWatch({ path, manager, telemetry, now: deps.machine.now });
    const { stopReplacing, metricsAddress } = await openSides(options, manager, watch, observation);
    const shutdown = createShutdown({
      app,
      runtime,
      pauseMs: options.drainPauseMs,
      drainLimitMs,
      stopReplacing,
      closeLast: closeLast.slice(1),
    });
    const address = await listenAndKeep({ app, options, first, stopReplacing });
    if (options.watch !== undefined) watch.start(watchIntervalMs);
    const opsAddress = metricsAddress !== null && options.opsPage ? `${metricsAddress}/ops` : null;
    return {
      address,
      metricsAddress,
      opsAddress,
      newerRelease,
      unknownGrants: (authorizerFor.named ?? []).filter((id) => !runtime.router.workflowIds.has(id)),
      app,
      runtime,
      shutdown,
      reload: () => watch.rescan(),
    };
  } catch (thrown) {
    for (const close of closeLast) await close();
    throw thrown;
  }
}

/** A list next to the trust policy is never ignored because nobody named it. */
async function withRevocations(options: ServeOptions): Promise<ServeOptions> {
  const list = revocationsNextTo(options.trust);
  if (options.revocations !== undefined || !(await pathExists(list))) return options;
  return { ...options, revocations: list };
}

async function releaseAbove({ router }: RouterRuntime, { state, environment }: ServeOptions): Promise<number | null> {
  const recorded = state === undefined ? null : await readReleaseState(state);
  const highest = recorded?.environments[environment]?.release ?? 0;
  const served = router.monitor?.release?.release ?? highest;
  return highest > served ? highest : null;
}

interface ListenParts {
  readonly app: FastifyInstance;
  readonly options: ServeOptions;
  readonly first: FirstBundle;
  readonly stopReplacing: () => Promise<void>;
}

/** The first bundle is recorded in the state file, and serves, only once the server listens. */
async function listenAndKeep({ app, options, first, stopReplacing }: ListenParts): Promise<string> {
  try {
    const address = await listen(app, options);
    await first.keepState();
    return address;
  } catch (thrown) {
    await app.close();
    await stopReplacing();
    throw thrown;
  }
}

interface ManagerParts {
  readonly runtime: RouterRuntime;
  readonly directory: string;
  readonly load: (directory: string) => Promise<LoadedBundle>;
  readonly options: ServeOptions;
  readonly deps: StartDependencies;
  readonly observation: ServerObservation;
}

const threadsOf = ({ workers }: ServeOptions): number => workers ?? usualThreads();

function bundleManager({ runtime, directory, load, options, deps, observation }: ManagerParts): BundleManager {
  const { now, availableMemory } = deps.machine;
  const workers = threadsOf(options);
  return new BundleManager({
    runtime,
    directory,
    load: async (folder) => load(await realpath(folder).catch(() => folder)),
    requireMemory: (folder) => requireMemory({ directory: folder, workers, available: availableMemory }),
    telemetry: observation.telemetry,
    now,
  });
}

/** Opens the control socket and the metrics address. */
async function openSides(
  options: ServeOptions,
  manager: BundleManager,
  watch: BundleWatch,
  observation: ServerObservation,
): Promise<{ readonly stopReplacing: () => Promise<void>; readonly metricsAddress: string | null }> {
  const metricsAddress = await observation.showMetrics();
  const closeControl =
    options.control === undefined ? null : await startControlServer(options.control, manager, observation.liveRisk);
  const stopReplacing = async (): Promise<void> => {
    await Promise.all([watch.stop(), closeControl?.()]);
    await manager.settled();
  };
  return { stopReplacing, metricsAddress };
}

/** Returns the function that loads the bundles of this server: the first one and its replacements. */
function bundleLoad(
  options: ServeOptions,
  deps: StartDependencies,
  telemetry: TelemetrySink,
  shadow: Shadow | null,
): (directory: string) => Promise<LoadedBundle> {
  const common = {
    ...options,
    expectations: { allowExactEventRoutes: options.allowExactEvents },
    workers: threadsOf(options),
    clock: deps.clock,
    // All bundles of the server share the latest time seen, so that a rollback cannot revive expired approvals.
    latest: latestClock(deps.clock),
    telemetry,
  };
  return async (bundle) => {
    const { router, keepState } = await deps.loadBundle({ ...common, bundle });
    return { router: shadow === null ? router : shadowedRouter(router, shadow), keepState };
  };
}

async function loadShadow(
  options: ServeOptions,
  deps: StartDependencies,
  telemetry: TelemetrySink,
): Promise<Shadow | null> {
  if (options.shadow === undefined) return null;
  const { router } = await deps.loadBundle({
    ...options,
    bundle: options.shadow,
    environment: options.shadowEnvironment,
    state: undefined,
    workers: 1,
    clock: deps.clock,
  });
  return new Shadow({ router, telemetry, now: deps.machine.now });
}

/** Startup message: address, versions and bundle, and warnings, each on its own line. */
export function startLine(server: RunningServer): string {
  const { lineage, bundleId } = server.runtime.snapshot();
  const {
    catalog_version: catalogVersion,
    calibration_version: calibrationVersion,
    model_version: modelVersion,
  } = lineage;
  const parts = [`catalog ${catalogVersion}`, `calibration ${calibrationVersion}`, `model ${modelVersion}`];
  const { metricsAddress, opsAddress } = server;
  const metrics = metricsAddress === null ? [] : [`metrics ${metricsAddress}/metrics`];
  const ops = opsAddress === null ? [] : [`live page ${opsAddress}`];
  const named = [...parts, `bundle ${bundleId ?? "none"}`, ...metrics, ...ops];
  const warning = isDemonstration(server.runtime.router) ? demonstrationWarning : "";
  return `sluice-serve listens on ${server.address}: ${named.join(", ")}\n${olderReleaseWarning(server)}${unknownGrantsWarning(server)}${warning}`;
}

function olderReleaseWarning({ newerRelease, runtime }: RunningServer): string {
  if (newerRelease === null) return "";
  const served = runtime.router.monitor?.release?.release;
  return `warning: release ${served} serves, but the state file names release ${newerRelease}, which served here before. Unless it was rolled back on purpose, start with its bundle: a restart loses replacements.\n`;
}

/** Maximum number of workflow ids in a warning. */
const shownGrants = 5;

function unknownGrantsWarning({ unknownGrants }: RunningServer): string {
  if (unknownGrants.length === 0) return "";
  return `warning: the grant policy names workflows that this bundle lacks: ${namedSome(unknownGrants, shownGrants)}. Check their spelling.\n`;
}

/**
 * @throws {SluiceError} PRODUCTION_CONFIGURATION if unauthenticated callers could select workflows by event
 */
function requireAuthenticatedEvents({ allowExactEvents, authorizer }: ServeOptions): void {
  if (!allowExactEvents || authorizer.kind !== "local") return;
  const text = "--allow-exact-events with --authorizer local, which does not authenticate callers";
  throw new SluiceError("PRODUCTION_CONFIGURATION", text, {
    hint: "Authenticate callers with --proxy-header or --authorizer FILE, or omit --allow-exact-events.",
  });
}

function settingsOf(options: ServeOptions, descriptors: number | null): ApiSettings {
  const { corsOrigins, bodyLimitBytes } = options;
  const maxConnections = options.maxConnections ?? (descriptors === null ? undefined : connectionsWithin(descriptors));
  const local = isLoopbackAddress(options.host) && options.trustedHosts.length === 0;
  const trustedHosts = local ? localHosts(options.host) : options.trustedHosts;
  if (trustedHosts.length === 0) {
    throw new SluiceError(
      "PRODUCTION_CONFIGURATION",
      `other machines can reach ${options.host}, but no trusted host is configured`,
      {
        hint: "List the hosts that clients use: --trusted-host router.example.com",
      },
    );
  }
  return ApiSettings.productionDefaults({ trustedHosts, corsOrigins, bodyLimitBytes, maxConnections });
}
