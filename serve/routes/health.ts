import type { FastifyInstance } from "fastify";
import type { Health } from "../../src/domain/response.js";
import type { RouterRuntime } from "../../src/routing/runtime.js";
import { emitSafely, type TelemetrySink } from "../../src/telemetry/sink.js";
import { isDemonstration } from "../demonstration.js";
import { healthBody } from "../response-body.js";

/**
 * `GET /health` (always 200), `GET /health/live` (200 while the process answers) and `GET /health/ready` (200 or 503).
 * None of them waits for a model.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  runtime: RouterRuntime,
  telemetry: TelemetrySink,
  drifting: () => boolean,
): void {
  const readHealth = healthReader(app, runtime, telemetry, drifting);
  app.get("/health", async () => healthBody(readHealth()));
  app.get("/health/live", async () => ({ status: "ok" }));
  app.get("/health/ready", async (_request, reply) => {
    const health = readHealth();
    return reply.code(health.ready ? 200 : 503).send(healthBody(health));
  });
}

function healthReader(
  app: FastifyInstance,
  runtime: RouterRuntime,
  telemetry: TelemetrySink,
  drifting: () => boolean,
): () => Health {
  let lastReady = true;
  return () => {
    const { generation, router, lineage, bundleId } = runtime.snapshot();
    const problems = [
      ...router.integrityProblems(),
      ...(app.drainState.draining ? ["the server is shutting down"] : []),
    ];
    const ready = problems.length === 0;
    if (ready !== lastReady) {
      emitSafely(telemetry, { event: "sluice.readiness", ready, problems, generation, bundleId });
      lastReady = ready;
    }
    const status = ready ? (drifting() ? "drifting" : "ok") : "not_ready";
    return { status, ready, ...lineage, generation, demonstration: isDemonstration(router) };
  };
}
