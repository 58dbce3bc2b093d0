import type { FastifyInstance } from "fastify";
import type { Health } from "../../src/documents/response.js";
import { within } from "../../src/documents/run-scope.js";
import type { RouterRuntime } from "../../src/router/runtime.js";
import { emitSafely, type TelemetrySink } from "../../src/router/telemetry/sink.js";
import { isDemonstration } from "../demonstration.js";
import { healthBody, notReadyBody } from "../response-body.js";

/** Maximum time to wait for a check of changed files, in milliseconds. */
const longestWaitMs = 1000;

/**
 * `GET /health` (always 200), `GET /health/live` (200 while the process answers) and `GET /health/ready` (200, or 503
 * with the problems). None waits for a model; `/health/live` waits for nothing.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  runtime: RouterRuntime,
  telemetry: TelemetrySink,
  drifting: () => boolean,
): void {
  const readHealth = healthReader(app, runtime, telemetry, drifting);
  app.get("/health", async () => healthBody((await readHealth()).health));
  app.get("/health/live", async () => ({ status: "ok" }));
  app.get("/health/ready", async (_request, reply) => {
    const { health, problems } = await readHealth();
    if (health.ready) return healthBody(health);
    return reply.code(503).send(notReadyBody(health, problems));
  });
}

interface HealthFound {
  readonly health: Health;
  /** Names files of the bundle, so it is for operators only, never for callers of `/v1/route`. */
  readonly problems: readonly string[];
}

function healthReader(
  app: FastifyInstance,
  runtime: RouterRuntime,
  telemetry: TelemetrySink,
  drifting: () => boolean,
): () => Promise<HealthFound> {
  let lastReady = true;
  let looking = false;
  const readHealth = async (): Promise<HealthFound> => {
    const { generation, router, lineage, bundleId } = runtime.snapshot();
    const scope = within(longestWaitMs, { now: () => performance.now() }, null);
    const problems = [
      ...(await router.integrityChecked(scope)),
      ...(app.drainState.draining ? ["the server is shutting down"] : []),
    ];
    const ready = problems.length === 0;
    if (ready !== lastReady) {
      emitSafely(telemetry, { event: "sluice.readiness", ready, problems, generation, bundle_id: bundleId });
      lastReady = ready;
    }
    const status = ready ? (drifting() ? "drifting" : "ok") : "not_ready";
    const health = { status, ready, ...lineage, generation, demonstration: isDemonstration(router) } as const;
    return { health, problems };
  };
  // Files that were only touched make the bundle not ready until they are read again; `readHealth` waits for that.
  runtime.onReadinessSeen((ready) => {
    if (ready === lastReady || looking) return;
    looking = true;
    void readHealth().finally(() => {
      looking = false;
    });
  });
  return readHealth;
}
