import fastify, { type FastifyInstance } from "fastify";
import type { Router } from "../src/domain/router.js";
import { SluiceError } from "../src/errors/error.js";
import { RouterRuntime } from "../src/routing/runtime.js";
import { silentSink, type TelemetrySink } from "../src/telemetry/sink.js";
import type { Authorizer } from "./authorizer.js";
import { addErrorReplies, refuseConnection, sendProblem } from "./error-reply.js";
import { addDocs, docsPaths } from "./openapi/add-docs.js";
import { addAccessLog } from "./plugins/access-log.js";
import { addConnectionLimit } from "./plugins/connection-limit.js";
import { addBodyLimit } from "./plugins/body-limit.js";
import { addCors } from "./plugins/cors.js";
import { addGracefulClose } from "./plugins/graceful-close.js";
import { addRequestId } from "./plugins/request-id.js";
import { addSecurityHeaders } from "./plugins/security-headers.js";
import { addTrustedHost } from "./plugins/trusted-host.js";
import { addRequestState, generateRequestId, headerRequestId } from "./request-state.js";
import { addHealthRoutes } from "./routes/health.js";
import { addRouteEndpoint } from "./routes/route.js";
import { ApiSettings } from "./settings.js";

/** Longest pause between looks for connections that are too slow, milliseconds. */
const maxTimeoutCheckMs = 1000;
/** Milliseconds that a policy may give a request, and some to write the answer. */
const longestAnswerMs = 65_000;

const allowedMethods: ReadonlyMap<string, string> = new Map([
  ["/health", "GET, HEAD"],
  ["/health/live", "GET, HEAD"],
  ["/health/ready", "GET, HEAD"],
  ["/v1/route", "POST"],
]);
const allowedDocsMethods: ReadonlyMap<string, string> = new Map(docsPaths.map((path) => [path, "GET, HEAD"]));

export interface AppOptions {
  /** Required in production. */
  readonly authorizer?: Authorizer;
  /** Default: development settings, which a production router refuses. */
  readonly settings?: ApiSettings;
  /** Receives one HttpEvent per exchange, and changes of readiness. Default: none. */
  readonly telemetry?: TelemetrySink;
  /** Whether live decisions differ from the signed calibration; told by the health routes. Default: never. */
  readonly drifting?: () => boolean;
  /** Time at which a plain router counts as loaded; a runtime brings its own. */
  readonly clock?: () => Date;
  /** Default: `req_` and 32 hex digits. */
  readonly newRequestId?: () => string;
}

/**
 * The HTTP application around a router. It does not listen yet, and hooks can still be added to it, for example one
 * that sets `request.scope.authenticated_principal`. Closing it leaves the routers open.
 * @throws {SluiceError} PRODUCTION_CONFIGURATION
 */
export function createApp(routerOrRuntime: Router | RouterRuntime, options: AppOptions = {}): FastifyInstance {
  const runtime = asRuntime(routerOrRuntime, options.clock);
  const settings = options.settings ?? ApiSettings.development();
  const telemetry = options.telemetry ?? silentSink;
  requireProductionRules(runtime, settings, options.authorizer);

  const app = newServer(settings, options.newRequestId ?? generateRequestId);
  addRequestState(app);
  addConnectionLimit(app, settings.maxConnections);
  addAccessLog(app, telemetry);
  addSecurityHeaders(app);
  addRequestId(app);
  addBodyLimit(app, settings.bodyLimitBytes);
  addCors(app, settings.corsOrigins);
  addTrustedHost(app, settings.trustedHosts);
  addGracefulClose(app);
  addErrorReplies(app, settings.production ? allowedMethods : new Map([...allowedMethods, ...allowedDocsMethods]));
  addHealthRoutes(app, runtime, telemetry, options.drifting ?? (() => false));
  if (!settings.production) addDocs(app);
  addRouteEndpoint(app, {
    runtime,
    authorizer: options.authorizer ?? null,
    authorizerTimeoutMs: settings.authorizerTimeoutMs,
  });
  return app;
}

function asRuntime(routerOrRuntime: Router | RouterRuntime, clock: (() => Date) | undefined): RouterRuntime {
  if (routerOrRuntime instanceof RouterRuntime) return routerOrRuntime;
  return new RouterRuntime(routerOrRuntime, clock === undefined ? {} : { clock });
}

function requireProductionRules(
  runtime: RouterRuntime,
  settings: ApiSettings,
  authorizer: Authorizer | undefined,
): void {
  if (runtime.snapshot().runtimeMode === "production" && !settings.production) {
    throw new SluiceError("PRODUCTION_CONFIGURATION", "a production router was given development settings", {
      hint: "Use ApiSettings.productionDefaults({ trustedHosts, corsOrigins }).",
    });
  }
  if (settings.production && authorizer === undefined) {
    throw new SluiceError("PRODUCTION_CONFIGURATION", "production settings need an authorizer, and none was given", {
      hint: "Pass createApp an authorizer that returns the workflow ids of the caller.",
    });
  }
}

function newServer(settings: ApiSettings, newRequestId: () => string): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    // Nothing came or went for this long: the client does not read its answer.
    connectionTimeout: settings.authorizerTimeoutMs + longestAnswerMs,
    trustProxy: false,
    requestIdHeader: false,
    genReqId: (request) => headerRequestId(request.headers) ?? newRequestId(),
    onProtoPoisoning: "error",
    onConstructorPoisoning: "error",
    // Requests that reach a closing server are still answered; each answer ends its connection.
    return503OnClosing: false,
    http: {
      // A missing Host header is refused by the trusted-host hook, in the common error shape.
      requireHostHeader: false,
      headersTimeout: settings.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(maxTimeoutCheckMs, Math.ceil(settings.headersTimeoutMs / 2)),
    },
    frameworkErrors: (error, request, reply) => void sendProblem(request, reply, error),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, newRequestId()),
  });
  app.removeContentTypeParser("text/plain");
  return app;
}
