import { Agent } from "node:http";
import type { Router } from "../../../src/documents/router.js";
import { createApp } from "../../../serve/app.js";
import type { Authorizer } from "../../../serve/authorizer.js";
import { addLoadShedding, QueueTime, RefusalPace } from "../../../serve/plugins/load-shedding.js";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { type Answer, goodBody, grantAll, post, productionSettings, send } from "../support/http.js";

const settings = { maxWaiting: 10, maxEventLoopDelayMs: 100 };

interface Loaded {
  readonly base: string;
  readonly state: { delayMs: number; deadlineMs: number; now: number };
  /** Sends so many requests, and resolves when they wait in the router. */
  readonly hold: (count: number) => Promise<readonly Promise<Answer>[]>;
  /** Lets the router answer the oldest waiting requests. */
  readonly release: (count: number) => void;
}

/** A real server around a router that declines, with a shortlist, when the test lets it, one thread and a clock that the test sets. */
async function loaded(use: (loaded: Loaded) => Promise<void>): Promise<void> {
  const state = { delayMs: 0, deadlineMs: 2000, now: 0 };
  const waiting: (() => void)[] = [];
  let arrived: (() => void) | null = null;
  const inner = fixtureRouter();
  const router: Router = {
    ...inner,
    route: async (request) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        arrived?.();
      });
      const shortlist = await inner.shortlist(request);
      return { ...(await inner.route(request)), decision: "LLM_REQUIRED", shortlist };
    },
  };
  const authorizer: Authorizer = (request, payload) => {
    request.scope.authenticated_principal = "ada";
    return grantAll(request, payload);
  };
  const app = createApp(router, { authorizer, settings: productionSettings });
  addLoadShedding(app, settings, {
    threads: 1,
    deadlineMs: () => state.deadlineMs,
    eventLoopDelayMs: () => state.delayMs,
    now: () => state.now,
  });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  const hold: Loaded["hold"] = async (count) => {
    const goal = waiting.length + count;
    const answers = Array.from({ length: count }, () => post(base, goodBody));
    await new Promise<void>((resolve) => {
      arrived = () => (waiting.length === goal ? resolve() : undefined);
    });
    return answers;
  };
  const release = (count: number): void => {
    for (const answer of waiting.splice(0, count)) answer();
  };
  try {
    await use({ base, state, hold, release });
  } finally {
    release(waiting.length);
    app.server.closeAllConnections();
    await app.close();
  }
}

async function requireRefused(base: string, retryAfter: string): Promise<void> {
  const refused = await post(base, goodBody);
  assert.equal(
    [refused.status, refused.body["code"], refused.headers["retry-after"], refused.headers["content-type"]],
    [503, "SERVER_OVERLOADED", retryAfter, "application/problem+json"],
  );
  assert.is(refused.headers["x-content-type-options"], "nosniff");
  assert.is((await post(base, "not json")).status, 503, "before the body is read");
  assert.is((await send(base, { path: "/health/ready" })).status, 200);
  assert.is((await send(base, { path: "/nowhere" })).status, 404);
}

test("the limit of waiting requests is exact, and recovery is at once", () =>
  loaded(async ({ base, hold, release }) => {
    const held = await hold(10);
    await requireRefused(base, "1");
    release(10);
    assert.equal([...new Set((await Promise.all(held)).map(({ status }) => status))], [200]);
    const [next] = await hold(1);
    release(1);
    assert.is((await next)?.status, 200);
  }));

test("while the event loop is late, as many requests are accepted as there are threads", () =>
  loaded(async ({ base, state, hold, release }) => {
    state.delayMs = 101;
    const [only] = await hold(1);
    await requireRefused(base, "1");
    state.delayMs = 100;
    const [second] = await hold(1);
    release(2);
    assert.equal([(await only)?.status, (await second)?.status], [200, 200]);
  }));

test("a request that would be answered too late is refused at once, with the time to wait", () =>
  loaded(async ({ base, state, hold, release }) => {
    const [first] = await hold(1);
    state.now = 600;
    release(1);
    await first;
    // 600 ms each: the second is expected after 1,200 of 2,000 ms, the third after 1,800.
    const held = await hold(2);
    await requireRefused(base, "2");
    release(2);
    await Promise.all(held);
  }));

test("a mean time above the deadline does not refuse for ever: a thread without work takes the next request", () =>
  loaded(async ({ state, hold, release }) => {
    for (const passed of [5000, 10_000]) {
      const [slow] = await hold(1);
      state.now = passed;
      release(1);
      assert.is((await slow)?.status, 200);
    }
  }));

test("requests whose bodies arrive at the same time are counted: no more than the limit reach the router", () =>
  loaded(async ({ base, release }) => {
    const body = JSON.stringify(goodBody);
    const agent = new Agent({ keepAlive: true });
    const answers = Array.from({ length: 40 }, () =>
      send(base, { chunks: [body.slice(0, 20), body.slice(20)], agent }),
    );
    let open = answers.length;
    const statuses = Promise.all(answers.map((answer) => answer.then(({ status }) => ((open -= 1), status))));
    while (open > 10) await new Promise((resolve) => setImmediate(resolve));
    release(10);
    const found = await statuses;
    agent.destroy();
    assert.is(found.filter((status) => status === 200).length, 10);
    assert.is(found.filter((status) => status === 503).length, 30);
  }));

test("refusals are spaced, so that callers who try again at once cost no more than a bounded share of the processor", () => {
  const pace = new RefusalPace();
  assert.equal([pace.delayMs(0), pace.delayMs(0), pace.delayMs(0)], [0, 2, 4]);
  for (let refused = 3; refused < 5000; refused += 1) assert.ok(pace.delayMs(0) <= 2000);
  assert.is(pace.delayMs(5000), 0, "and at once again after a quiet time");
});

test("only the answers of the router measure the queue: requests at fault and callers that leave do not shorten it", () => {
  const time = { now: 0 };
  const queue = new QueueTime();
  const accept = () => queue.accept(() => time.now);
  const first = accept();
  time.now = 600;
  first("answered");
  assert.is(queue.expectedMs(), 600);
  for (const end of ["at_fault", "left"] as const) {
    const quick = accept();
    time.now += 1;
    quick(end);
  }
  assert.equal([queue.expectedMs(), queue.waiting], [600, 0]);
  const patient = accept();
  time.now += 1600;
  patient("left");
  assert.is(Math.round(queue.expectedMs()), 700);
});

test("refused requests of a server do not make it believe that it is quick", () =>
  loaded(async ({ base, state, hold, release }) => {
    const [first] = await hold(1);
    state.now = 1500;
    release(1);
    await first;
    for (let sent = 0; sent < 30; sent += 1) assert.is((await post(base, { text: "" })).status, 422);
    const [held] = await hold(1);
    await requireRefused(base, "3");
    release(1);
    await held;
  }));
