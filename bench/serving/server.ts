/**
 * Runs one of the servers for the benches of HTTP as a separate process.
 *
 *   bare      a Fastify route that checks the same schema and answers with a constant decision: the floor of HTTP
 *   http      the application of Sluice around a router that answers at once: what Sluice adds to HTTP
 *   models    the bare route around the default models: what they cost by themselves
 *   default   the application of Sluice with the default models
 *   fast      the same with the fast models
 *   nlp       the same Fastify route around nlp.js, where the package node-nlp is installed
 *
 * Prints its address, answers every message with its total resource use (`ServerUse`), and ends with its parent.
 */
import fastify, { type FastifyInstance } from "fastify";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { RouteRequestSchema, type RouteRequestBody } from "../../src/documents/request.js";
import type { RouteResponse, RuntimeMode } from "../../src/documents/response.js";
import type { Router } from "../../src/documents/router.js";
import { createApp } from "../../serve/app.js";
import { EventLoopDelay } from "../../serve/metrics/runtime-metrics.js";
import { addLoadShedding } from "../../serve/plugins/load-shedding.js";
import { routeResponseBody } from "../../serve/response-body.js";
import { ApiSettings } from "../../serve/settings.js";
import { serviceDeskCatalog } from "../../test/support/service-desk.js";
import { fastModels } from "./default-models.js";
import { defaultRouter } from "./default-router.js";
import { nlpClassifier } from "./nlp-classifier.js";

/** Total resource use of a server. */
export interface ServerUse {
  readonly cpuMicros: number;
  readonly residentMib: number;
}

export type ServerKind = "bare" | "http" | "models" | "default" | "fast" | "nlp";

const [kind, mode] = process.argv.slice(2) as [ServerKind, RuntimeMode];
const workers = Number(process.argv[4] ?? 1);
const { catalog_version } = await serviceDeskCatalog();
const lineage = { model_version: "none", calibration_version: "none", catalog_version, runtime_mode: mode };

function constantResponse(requestId: string, workflowId: string | null): RouteResponse {
  return {
    request_id: requestId,
    decision: workflowId === null ? "LLM_REQUIRED" : "ROUTE",
    workflow_id: workflowId as WorkflowId,
    confidence: 0.9,
    reason_code: workflowId === null ? "NO_WORKFLOW" : "ACCEPTED_LOW_RISK",
    missing_inputs: [],
    confirmation_required: false,
    ...lineage,
    latency_ms: 0.1,
    candidates: null,
    shortlist: null,
  };
}

/** A minimal Fastify route: validates the schema, then answers. */
function plainRoute(answer: (body: RouteRequestBody) => Promise<RouteResponse>): FastifyInstance {
  const app = fastify({ logger: false, ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } });
  app.post<{ Body: RouteRequestBody }>("/v1/route", { schema: { body: RouteRequestSchema } }, async (request) =>
    routeResponseBody(await answer(request.body)),
  );
  return app;
}

const constantRouter: Router = {
  lineage,
  bundleId: null,
  monitor: null,
  workflowIds: new Set(["desk.one"]),
  route: async (request) => constantResponse(request.request_id, "desk.one"),
  workflow: () => null,
  shortlist: () => Promise.reject(new Error("not asked")),
  score: () => Promise.reject(new Error("not asked")),
  integrityProblems: () => [],
  integrityChecked: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

function sluice(router: Router): FastifyInstance {
  const ids = [...router.workflowIds];
  const settings =
    mode === "production"
      ? ApiSettings.productionDefaults({ trustedHosts: ["127.0.0.1"], corsOrigins: [], maxConnections: 4000 })
      : ApiSettings.development();
  const app = createApp(router, { authorizer: async () => ids, settings, mcp: true });
  addGuard(app, router);
  app.addHook("onClose", () => router.close());
  return app;
}

/** Adds the guard of a served bundle. */
function addGuard(app: FastifyInstance, { monitor }: Router): void {
  if (monitor === null) return;
  const eventLoop = new EventLoopDelay();
  const limits = { maxWaiting: 256, maxEventLoopDelayMs: 500 };
  addLoadShedding(app, limits, {
    threads: workers,
    deadlineMs: () => monitor.deadlineMs,
    eventLoopDelayMs: () => eventLoop.seconds() * 1000,
    now: () => performance.now(),
  });
  app.addHook("onClose", async () => eventLoop.close());
}

/** The default models behind the bare route, which does not check the lists of the body. */
async function modelsAlone(): Promise<FastifyInstance> {
  const router = await defaultRouter(mode, workers);
  const app = plainRoute(async (body) =>
    router.route({
      request_id: body.request_id ?? "r",
      text: body.text,
      context: {},
      catalog_version: body.catalog_version ?? null,
      allowed_workflow_ids: body.allowed_workflow_ids ?? null,
      blocked_workflow_ids: [],
      event_type: null,
      language: null,
      debug: false,
    }),
  );
  app.addHook("onClose", () => router.close());
  return app;
}

async function application(): Promise<FastifyInstance> {
  if (kind === "bare") return plainRoute(async ({ request_id }) => constantResponse(request_id ?? "r", "desk.one"));
  if (kind === "http") return sluice(constantRouter);
  if (kind === "default") return sluice(await defaultRouter(mode, workers));
  if (kind === "fast") return sluice(await defaultRouter(mode, workers, await fastModels()));
  if (kind === "models") return modelsAlone();
  const classify = await nlpClassifier();
  return plainRoute(async ({ request_id, text }) => constantResponse(request_id ?? "r", await classify(text)));
}

const app = await application();
const address = await app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`${address}\n`);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, residentMib: process.memoryUsage().rss / 2 ** 20 } satisfies ServerUse);
});
process.once("disconnect", () => {
  app.server.closeAllConnections();
  void app.close();
});
