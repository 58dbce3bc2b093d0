import { EventEmitter } from "node:events";
import { Agent, request } from "node:http";
import { RouterRuntime } from "../../src/router/runtime.js";
import { createApp } from "../../serve/app.js";
import { endOnSignals, createShutdown } from "../../serve/shutdown.js";
import { assert, test } from "../support/test.js";
import { type FixtureOptions, fixtureRouter } from "./support/fixture-router.js";
import { gate, goodBody, grantAll, productionSettings, send } from "./support/http.js";

interface Stored {
  readonly status: number;
  readonly connection: string | undefined;
}

/** Posts over a connection that asks to be kept alive. */
function postKept(base: string, agent: Agent): Promise<Stored> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const outgoing = request(`${base}/v1/route`, { method: "POST", agent, headers });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }));
    });
    outgoing.end(JSON.stringify(goodBody));
  });
}

async function running(options: FixtureOptions, pauseMs = 0, drainLimitMs = 20_000) {
  const router = fixtureRouter(options);
  const runtime = new RouterRuntime(router);
  const app = createApp(runtime, { authorizer: grantAll, settings: productionSettings });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  return { router, app, base, shutdown: createShutdown({ app, runtime, pauseMs, drainLimitMs }) };
}

/** A server with one request that has arrived and waits for `hold`. */
async function runningWithHeldRequest() {
  const [arrived, hold] = [gate(), gate()];
  const server = await running({
    during: () => {
      arrived.open();
      return hold.opened;
    },
  });
  const agent = new Agent({ keepAlive: true });
  const inFlight = postKept(server.base, agent);
  await arrived.opened;
  return { ...server, agent, hold, inFlight };
}

test("a request in flight gets its response, its keep-alive connection closes, then the router closes", async () => {
  const { router, app, base, shutdown, agent, hold, inFlight } = await runningWithHeldRequest();
  const closing = new Promise<void>((resolve) => app.server.once("close", resolve));
  const ended = shutdown.begin();
  assert.is(router.closed.count, 0);
  const begin = performance.now();
  hold.open();
  const answer = await inFlight;
  assert.is(answer.status, 200);
  await closing;
  await ended;
  assert.ok(performance.now() - begin < 5000, "the keep-alive time is 72 s");
  assert.is(router.closed.count, 1);
  const late = await send(base, { path: "/health/live" }).catch((error: NodeJS.ErrnoException) => error.code);
  assert.is(late, "ECONNREFUSED");
  agent.destroy();
});

test("a response during shutdown closes its connection", async () => {
  const { app, shutdown, agent, hold, inFlight } = await runningWithHeldRequest();
  const closing = gate();
  const close = app.server.close.bind(app.server);
  app.server.close = (callback) => {
    closing.open();
    return close(callback);
  };
  const ended = shutdown.begin();
  await closing.opened;
  hold.open();
  assert.is((await inFlight).connection, "close");
  await ended;
  agent.destroy();
});

test("readiness is false during the pause while requests are still answered", async () => {
  const { router, base, shutdown } = await running({}, 600_000);
  const ended = shutdown.begin();
  const ready = await send(base, { path: "/health/ready" });
  assert.equal([ready.status, ready.body["status"], ready.body["ready"]], [503, "not_ready", false]);
  assert.is((await send(base, { path: "/health" })).status, 200);
  assert.is((await send(base, { path: "/health/live" })).status, 200);
  assert.is((await send(base, { body: goodBody })).status, 200);
  shutdown.hurry();
  await ended;
  assert.is(router.closed.count, 1);
});

test("begin ends the server once, and hurry before it does nothing", async () => {
  const { router, shutdown } = await running({});
  shutdown.hurry();
  const ended = shutdown.begin();
  assert.is(shutdown.begin(), ended);
  await ended;
  assert.is(router.closed.count, 1);
});

test("a request that never ends is cut at the limit", async () => {
  const [arrived, hold] = [gate(), gate()];
  const during = () => {
    arrived.open();
    return hold.opened;
  };
  const { router, base, shutdown } = await running({ during }, 0, 30);
  const outcome = postKept(base, new Agent({ keepAlive: true })).catch((error: NodeJS.ErrnoException) => error.code);
  await arrived.opened;
  const ended = shutdown.begin();
  assert.is(await outcome, "ECONNRESET");
  hold.open();
  await ended;
  assert.is(router.closed.count, 1);
});

test("the first signal ends the server, the second one hurries, and both listeners go", async () => {
  const { router, shutdown } = await running({}, 600_000);
  const signals = new EventEmitter();
  const ended = endOnSignals(signals, shutdown);
  assert.is(signals.listenerCount("SIGTERM") + signals.listenerCount("SIGINT"), 2);
  signals.emit("SIGTERM");
  assert.is(router.closed.count, 0);
  signals.emit("SIGINT");
  await ended;
  assert.is(router.closed.count, 1);
  assert.is(signals.listenerCount("SIGTERM") + signals.listenerCount("SIGINT"), 0);
});
