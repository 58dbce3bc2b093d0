import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import fastify, { type FastifyInstance } from "fastify";
import type { Router } from "../src/documents/router.js";
import { SluiceError } from "../src/base/error.js";
import { argument, type OptionsOf, resolveOptions } from "../src/base/options.js";
import { requireArgument } from "../src/base/require-argument.js";
import { RouterRuntime } from "../src/router/runtime.js";
import { silentSink, type TelemetrySink } from "../src/router/telemetry/sink.js";
import type { Authorizer } from "./authorizer.js";
import { type ParserError, TunnelRequest } from "./connection-failure.js";
import { addErrorReplies, refuseConnection, sendProblem } from "./error-reply.js";
import { openApiDocument } from "./openapi/document.js";
import { AccessLog } from "./plugins/access-log.js";
import { addConnectionLimit } from "./plugins/connection-limit.js";
import { addBodyLimit } from "./plugins/body-limit.js";
import { addCors } from "./plugins/cors.js";
import {
  addGracefulClose,
  addLingeringClose,
  answerHalfClosed,
  isLingering,
  linger,
} from "./plugins/lingering-close.js";
import { addRequestId, addHttpRules, addSecurityHeaders, addExpectation } from "./plugins/http-rules.js";
import { addTrustedHost } from "./plugins/trusted-host.js";
import { addJsonBody } from "./plugins/json-body.js";
import { addRequestState, generateRequestId, headerRequestId } from "./request-state.js";
import { addHealthRoutes } from "./routes/health.js";
import { addMcpEndpoint } from "./routes/mcp.js";
import { addRouteEndpoints } from "./routes/route.js";
import { ApiSettings } from "./settings.js";

/** Longest interval between checks for slow connections, in milliseconds. */
const maxTimeoutCheckMs = 1000;
/** Longest processing time that a policy permits, plus time to write the response, in milliseconds. */
const longestAnswerMs = 65_000;

const allowedMethods: ReadonlyMap<string, string> = new Map([
  ["/health", "GET, HEAD"],
  ["/health/live", "GET, HEAD"],
  ["/health/ready", "GET, HEAD"],
  ["/v1/route", "POST"],
  ["/v1/shortlist", "POST"],
]);
/** Path of the API description, in development only. */
const descriptionPath = "/openapi.json";
const allowedDescriptionMethods: ReadonlyMap<string, string> = new Map([[descriptionPath, "GET, HEAD"]]);

const appOptions = {
  /** Required in production. */
  authorizer: argument<Authorizer>("function"),
  /** Default: development settings, which are refused for a production router. */
  settings: argument<ApiSettings>("object"),
  /** Receives one HttpEvent per exchange, and changes of readiness. Default: none. */
  telemetry: argument<TelemetrySink>("object"),
  /** Reports whether live decisions differ from the signed calibration. Default: never. */
  drifting: argument<() => boolean>("function"),
  /** Clock for the load time of a plain router; a runtime has its own clock. */
  clock: argument<() => Date>("function"),
  /** Whether `POST /mcp` serves clients of the Model Context Protocol. Default false. */
  mcp: argument<boolean>("boolean"),
  /** Default: `req_` and 32 hex digits. */
  newRequestId: argument<() => string>("function"),
} as const;
export type AppOptions = OptionsOf<typeof appOptions>;

/**
 * Creates the HTTP application around a router. It does not listen yet, so hooks can still be added, for example one
 * that sets `request.scope.authenticated_principal`. Closing the application does not close the routers.
 * @throws {SluiceError} PRODUCTION_CONFIGURATION, ARGUMENT_INVALID
 */
export function createApp(routerOrRuntime: Router | RouterRuntime, given: AppOptions = {}): FastifyInstance {
  const options = resolveOptions("createApp", appOptions, given);
  const byHand = options.settings !== undefined && !(options.settings instanceof ApiSettings);
  requireArgument(!byHand, "options.settings", "a value of ApiSettings.productionDefaults", options.settings);
  const runtime = asRuntime(routerOrRuntime, options.clock);
  const settings = options.settings ?? ApiSettings.development();
  const telemetry = options.telemetry ?? silentSink;
  requireProductionRules(runtime, settings, options.authorizer);

  const accessLog = new AccessLog(telemetry);
  const app = newServer(settings, options.newRequestId ?? generateRequestId, accessLog);
  addRequestState(app);
  app.addHook("onRequest", (request, reply, done) => {
    accessLog.begin(request, reply);
    done();
  });
  addConnectionLimit(app, settings.maxConnections);
  addSecurityHeaders(app);
  addRequestId(app);
  addHttpRules(app);
  addExpectation(app);
  addJsonBody(app);
  addBodyLimit(app, settings.bodyLimitBytes);
  addTrustedHost(app, settings.trustedHosts);
  addCors(app, settings.corsOrigins);
  addGracefulClose(app);
  const methods = [
    ...allowedMethods,
    ...(settings.production ? [] : allowedDescriptionMethods),
    ...(options.mcp === true ? [["/mcp", "POST"] as const] : []),
  ];
  addErrorReplies(app, new Map(methods));
  addHealthRoutes(app, runtime, telemetry, options.drifting ?? (() => false));
  if (!settings.production) {
    const document = openApiDocument();
    app.get(descriptionPath, async () => document);
  }
  const endpoint = {
    runtime,
    authorizer: options.authorizer ?? null,
    authorizerTimeoutMs: settings.authorizerTimeoutMs,
  };
  addRouteEndpoints(app, endpoint);
  if (options.mcp === true) addMcpEndpoint(app, endpoint);
  return app;
}

function asRuntime(routerOrRuntime: Router | RouterRuntime, clock: (() => Date) | undefined): RouterRuntime {
  if (routerOrRuntime instanceof RouterRuntime) return routerOrRuntime;
  return new RouterRuntime(routerOrRuntime, { clock });
}

function requireProductionRules(
  runtime: RouterRuntime,
  settings: ApiSettings,
  authorizer: Authorizer | undefined,
): void {
  if (runtime.snapshot().runtimeMode === "production" && !settings.production) {
    throw new SluiceError("PRODUCTION_CONFIGURATION", "found development settings for a production router", {
      hint: "Use ApiSettings.productionDefaults({ trustedHosts, corsOrigins }).",
    });
  }
  if (settings.production && authorizer === undefined) {
    throw new SluiceError("PRODUCTION_CONFIGURATION", "production settings require an authorizer, but none was given", {
      hint: "Pass createApp an authorizer that returns the workflow ids of the caller.",
    });
  }
}

function newServer(settings: ApiSettings, newRequestId: () => string, accessLog: AccessLog): FastifyInstance {
  const refuse = (error: ParserError, socket: Duplex, method?: string): void => {
    const exchange = accessLog.openExchange(socket);
    if (isLingering(socket)) return;
    if (exchange?.reply.raw.headersSent === true) return linger(socket as Socket);
    const requestId = exchange?.request.id ?? newRequestId();
    const failure = refuseConnection(error, socket, requestId);
    if (failure !== null) accessLog.refused(socket, failure, requestId, method);
  };
  const app = fastify({
    logger: false,
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    // A connection without traffic for this long belongs to a client that does not read its response.
    connectionTimeout: settings.authorizerTimeoutMs + longestAnswerMs,
    trustProxy: false,
    requestIdHeader: false,
    genReqId: (request) => headerRequestId(request.headers) ?? newRequestId(),
    // Requests that arrive while the server is closing are still answered; each response closes its connection.
    return503OnClosing: false,
    http: {
      // The trusted-host hook refuses a missing Host header, with the same error format as other refusals.
      requireHostHeader: false,
      headersTimeout: settings.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(maxTimeoutCheckMs, Math.ceil(settings.headersTimeoutMs / 2)),
    },
    // No hook runs for these errors.
    frameworkErrors: (error, request, reply) => {
      accessLog.begin(request, reply);
      sendProblem(request, reply, error);
    },
    clientErrorHandler: (error, socket) => refuse(error, socket),
  });
  addLingeringClose(app.server);
  answerHalfClosed(app.server);
  // Without a listener the connection would be closed without a response.
  app.server.on("connect", ({ method }, socket) => refuse(new TunnelRequest("CONNECT"), socket, method));
  return app;
}
