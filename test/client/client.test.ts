/** The client against real servers over TCP. */
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type AskBetween,
  type ClientClock,
  type FetchInit,
  NoAnswer,
  Problem,
  SluiceClient,
} from "../../client/index.js";
import { answersTo, readAnswer } from "../../client/answer.js";
import { systemClock } from "../../client/client.js";
import { addLoadShedding } from "../../serve/plugins/load-shedding.js";
import { createApp } from "../../serve/app.js";
import { AuthorizationDenied } from "../../serve/authorizer.js";
import { ApiSettings } from "../../serve/settings.js";
import { assert, test } from "../support/test.js";
import { fixtureRouter } from "../serve/support/fixture-router.js";
import { gate, grantAll, productionSettings, withServer } from "../serve/support/http.js";
import { contractWorld } from "../serve/support/contract-world.js";

const secret = "block card 4111";
const good = { text: secret, catalog_version: "cat-1", allowed_workflow_ids: ["card.block"] } as const;

async function thrown(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  return assert.unreachable("the call did not fail");
}

async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const error = await thrown(call);
  assert.instance(error, Problem);
  assert.not.match(String(error), /4111/);
  return error as Problem;
}

async function noAnswerOf(call: Promise<unknown>): Promise<NoAnswer> {
  const error = await thrown(call);
  assert.instance(error, NoAnswer);
  assert.not.match(String(error), /4111/);
  return error as NoAnswer;
}

/** A server that is not ours. */
async function withForeign(listener: RequestListener, use: (baseUrl: string) => Promise<void>): Promise<void> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a shortlist is read, and one with a workflow that the request does not allow is refused", async () => {
  await withServer(fixtureRouter(), {}, async (baseUrl) => {
    const found = await new SluiceClient({ baseUrl }).shortlist({ ...good, request_id: "mine/2" });
    assert.equal([found.request_id, found.reason_code, found.complete], ["mine/2", "SHORTLISTED", true]);
    assert.equal(
      found.workflows.map(({ workflow_id: workflowId, missing_inputs: missingInputs }) => [workflowId, missingInputs]),
      [["card.block", []]],
    );
  });
  const workflow = { workflow_id: "card.order", confidence: 0.5, missing_inputs: [] };
  const body = {
    request_id: "r",
    workflows: [workflow],
    complete: true,
    reason_code: "SHORTLISTED",
    model_version: "m",
    calibration_version: "c",
    catalog_version: "cat-1",
    runtime_mode: "production",
    latency_ms: 1,
  };
  for (const wrong of [{}, { workflows: [{ ...workflow, confidence: 2 }] }, { workflows: null }, { complete: "yes" }]) {
    await withForeign(
      (_request, response) => response.end(JSON.stringify({ ...body, ...wrong })),
      async (baseUrl) => {
        const client = new SluiceClient({ baseUrl });
        assert.is((await noAnswerOf(client.shortlist(good))).reason, "malformed");
      },
    );
  }
});

test("what a declined request says besides one wish is read, and refused where the request does not allow it", () => {
  const lineage = {
    model_version: "m",
    calibration_version: "c",
    catalog_version: "cat-1",
    runtime_mode: "production",
  };
  const declined = { decision: "LLM_REQUIRED", workflow_id: null, reason_code: "NEGATED_REQUEST", confidence: 0.9 };
  const rest = { request_id: "r", latency_ms: 1, missing_inputs: [], confirmation_required: false, candidates: null };
  const answer = readAnswer({ ...lineage, ...declined, ...rest, negated_workflow_id: "card.block" });
  if (answer === null) throw new TypeError("the answer was refused");
  assert.is("negated_workflow_id" in answer && answer.negated_workflow_id, "card.block");
  assert.ok(answersTo({ ...good, allowed_workflow_ids: ["card.block"] }, answer));
  assert.not(answersTo({ ...good, allowed_workflow_ids: ["card.order"] }, answer));
  const parts = [
    { text: "block my card", workflows: ["card.block"] },
    { text: "order a new one", workflows: ["card.order"] },
  ];
  const two = readAnswer({ ...lineage, ...declined, ...rest, reason_code: "MULTI_ACTION_UNSUPPORTED", parts });
  if (two === null) throw new TypeError("the answer was refused");
  assert.equal("parts" in two && two.parts, parts);
  assert.not(answersTo({ ...good, allowed_workflow_ids: ["card.block"] }, two));
});

test("a question which workflow is meant is read, and refused where it names one that the request does not allow", async () => {
  const workflow = { workflow_id: "card.block", confidence: 0.4, missing_inputs: [] };
  const body = {
    request_id: "r",
    decision: "CLARIFY",
    workflow_id: null,
    confidence: 0.4,
    reason_code: "ASK_BETWEEN",
    missing_inputs: [],
    confirmation_required: false,
    model_version: "m",
    calibration_version: "c",
    catalog_version: "cat-1",
    runtime_mode: "production",
    latency_ms: 1,
    candidates: null,
    between: [workflow, { ...workflow, workflow_id: "card.order" }],
  };
  const asked = async (changes: object, allowedWorkflowIds: readonly string[]): Promise<unknown> => {
    const found: unknown[] = [];
    await withForeign(
      (_request, response) => response.end(JSON.stringify({ ...body, ...changes })),
      async (baseUrl) => {
        const call = new SluiceClient({ baseUrl }).route({ ...good, allowed_workflow_ids: allowedWorkflowIds });
        found.push(await call.catch(({ reason }: NoAnswer) => reason));
      },
    );
    return found[0];
  };
  const both = ["card.block", "card.order"];
  const answer = (await asked({}, both)) as AskBetween;
  assert.equal([answer.decision, answer.workflow_id, answer.missing_inputs], ["CLARIFY", null, []]);
  assert.equal(
    answer.between.map(({ workflow_id: workflowId }) => workflowId),
    both,
  );
  assert.is(await asked({}, ["card.block"]), "malformed");
  for (const wrong of [{ between: [workflow] }, { between: undefined }, { decision: "ROUTE" }]) {
    assert.is(await asked(wrong, both), "malformed");
  }
});

for (const mode of ["development", "production"] as const) {
  test(`${mode}: a request is routed by real models, with every field of the answer`, async () => {
    const world = await contractWorld(mode);
    try {
      const client = new SluiceClient({ baseUrl: `${world.base}/` });
      const request = {
        text: "where is my order",
        catalog_version: "catalog-1",
        allowed_workflow_ids: ["orders.status"],
      };
      const answer = await client.route({ ...request, request_id: "mine/1", debug: true });
      assert.is(answer.decision, "ROUTE");
      assert.equal(Object.keys(answer).length, 13);
      assert.equal([answer.request_id, answer.workflow_id], ["mine/1", "orders.status"]);
      assert.equal([answer.runtime_mode, answer.catalog_version], [mode, "catalog-1"]);
      assert.ok(answer.confidence > 0.5 && answer.latency_ms > 0);
      assert.equal(
        answer.candidates?.map(({ workflow_id: workflowId, rank }) => [workflowId, rank]) ?? null,
        {
          development: [["orders.status", 1]],
          production: null,
        }[mode],
      );
      const declined = await client.route({ ...request, allowed_workflow_ids: [] });
      assert.equal(
        [declined.decision, declined.workflow_id, declined.reason_code],
        ["LLM_REQUIRED", null, "NO_ELIGIBLE_WORKFLOW"],
      );
      assert.equal([(await client.health()).ready, (await client.ready()).generation], [true, 1]);
    } finally {
      await world.close();
    }
  });
}

const more = { context: { a: 1 }, blocked_workflow_ids: ["card.order"], event_type: "card.lost", request_id: "r1" };

test("every field of a request arrives, and omitted fields stay omitted", async () => {
  const router = fixtureRouter();
  const authorizer = () => ({ workflowIds: ["card.block", "card.order"], events: true });
  await withServer(router, { authorizer }, async (baseUrl) => {
    const client = new SluiceClient({ baseUrl });
    await client.route({ ...good, ...more, language: "en", debug: true });
    await client.route({ text: "x" });
  });
  assert.equal(router.seen[0], { ...good, ...more, language: "en", debug: true });
  const omitted = router.seen[1];
  assert.equal(
    [omitted?.context, omitted?.catalog_version, omitted?.language, omitted?.debug],
    [{}, null, null, false],
  );
});

test("a server that is not ready is an answer of ready(), not an error", async () => {
  const router = fixtureRouter();
  router.problems.push("HASH_MISMATCH");
  await withServer(router, {}, async (baseUrl) => {
    const { ready, status } = await new SluiceClient({ baseUrl }).ready();
    assert.equal([ready, status], [false, "not_ready"]);
  });
});

test("headers are sent with every request, from a function too", async () => {
  const seen: unknown[] = [];
  const authorizer = async (request: { headers: Record<string, unknown> }) => {
    seen.push(request.headers["authorization"]);
    return ["card.block"];
  };
  await withServer(fixtureRouter(), { authorizer }, async (baseUrl) => {
    let count = 0;
    await new SluiceClient({ baseUrl, headers: { authorization: "Bearer 0" } }).route(good);
    const client = new SluiceClient({ baseUrl, headers: async () => ({ authorization: `Bearer ${(count += 1)}` }) });
    await client.route(good);
    await client.route(good);
  });
  assert.equal(seen, ["Bearer 0", "Bearer 1", "Bearer 2"]);
});

test("errors of the service are problems with code, request id and faults", async () => {
  const authorizer = () => Promise.reject(new AuthorizationDenied("not you"));
  await withServer(fixtureRouter(), { authorizer }, async (baseUrl) => {
    const client = new SluiceClient({ baseUrl });
    const conflict = await problemOf(client.route({ ...good, catalog_version: "cat-0", request_id: "r9" }));
    assert.equal([conflict.status, conflict.code, conflict.requestId], [409, "CATALOG_VERSION_MISMATCH", "r9"]);
    const invalid = await problemOf(client.route({ ...good, text: " " }));
    assert.equal(
      [invalid.status, invalid.code, invalid.faults.map(({ path }) => path)],
      [422, "REQUEST_INVALID", ["/text"]],
    );
    const denied = await problemOf(client.route(good));
    assert.equal([denied.status, denied.code, denied.faults], [403, "AUTHORIZATION_DENIED", []]);
    const large = await problemOf(client.route({ ...good, context: { pad: "x".repeat(200_000) } }));
    assert.is(large.code, "REQUEST_TOO_LARGE");
  });
});

/** A server whose overload the test sets, and a clock that records the pauses of the client instead of waiting. */
async function overloaded(
  use: (setting: { baseUrl: string; load: { delayMs: number }; clock: ClientClock; pauses: number[] }) => Promise<void>,
): Promise<void> {
  const load = { delayMs: 90_000 };
  const app = createApp(fixtureRouter(), { authorizer: grantAll, settings: productionSettings });
  const limits = { maxWaiting: 1, maxEventLoopDelayMs: 60_000 };
  addLoadShedding(app, limits, {
    threads: 0,
    deadlineMs: () => 2000,
    eventLoopDelayMs: () => load.delayMs,
    now: () => 0,
  });
  const pauses: number[] = [];
  const clock: ClientClock = {
    now: () => 0,
    wait: (milliseconds, signal) => {
      if (milliseconds !== 1000) return systemClock.wait(60_000, signal);
      pauses.push(milliseconds);
      return Promise.resolve();
    },
  };
  const baseUrl = await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    await use({ baseUrl, load, clock, pauses });
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
}

test("a 503 with Retry-After is sent again once, after that time", () =>
  overloaded(async ({ baseUrl, load, clock, pauses }) => {
    const sent: string[] = [];
    const fetch = (address: string, init: FetchInit) => {
      sent.push(init.method);
      if (sent.length === 2) load.delayMs = 0;
      return globalThis.fetch(address, init);
    };
    const client = new SluiceClient({ baseUrl, clock, fetch });
    assert.is((await client.route(good)).decision, "ROUTE");
    assert.equal([pauses, sent.length], [[1000], 2]);
  }));

test("a second 503 is the problem, with the seconds to wait", () =>
  overloaded(async ({ baseUrl, clock, pauses }) => {
    const problem = await problemOf(new SluiceClient({ baseUrl, clock }).route(good));
    assert.equal([problem.code, problem.retryAfterSeconds, pauses.length], ["SERVER_OVERLOADED", 1, 1]);
  }));

test("a 503 is not sent again when the deadline would pass first", () =>
  overloaded(async ({ baseUrl, clock, pauses }) => {
    const problem = await problemOf(new SluiceClient({ baseUrl, clock, timeoutMs: 999 }).route(good));
    assert.equal([problem.code, pauses], ["SERVER_OVERLOADED", []]);
  }));

test("a failure of the server without Retry-After is sent once", async () => {
  const router = fixtureRouter({ during: () => Promise.reject(new Error("broken")) });
  await withServer(router, {}, async (baseUrl) => {
    assert.is((await problemOf(new SluiceClient({ baseUrl }).route(good))).code, "INTERNAL");
  });
  assert.is(router.seen.length, 1);
});

/** A router that never answers, and reports when a request has arrived and when it was abandoned. */
function silentRouter() {
  const arrived = gate();
  const left = gate();
  const router = fixtureRouter({
    during: async (_request, signal) => {
      signal?.addEventListener("abort", () => left.open());
      arrived.open();
      await left.opened;
    },
  });
  return { router, arrived, left };
}

test("at the deadline the call ends, and the server gives the request up", async () => {
  const { router, arrived, left } = silentRouter();
  await withServer(router, {}, async (baseUrl) => {
    const clock: ClientClock = { now: () => 0, wait: () => arrived.opened };
    const error = await noAnswerOf(new SluiceClient({ baseUrl, clock, timeoutMs: 70 }).route(good));
    assert.equal([error.reason, error.status, error.message], ["timeout", null, "no answer within 70 ms"]);
    await left.opened;
  });
});

test("the caller's signal ends the call, before it began too", async () => {
  const { router, arrived, left } = silentRouter();
  await withServer(router, {}, async (baseUrl) => {
    const client = new SluiceClient({ baseUrl });
    const leaving = new AbortController();
    const call = noAnswerOf(client.route(good, { signal: leaving.signal }));
    await arrived.opened;
    leaving.abort();
    assert.is((await call).reason, "cancelled");
    await left.opened;
    assert.is((await noAnswerOf(client.route(good, { signal: leaving.signal }))).reason, "cancelled");
  });
  assert.is(router.seen.length, 1);
});

test("the deadline holds for a fetch that ignores the signal", async () => {
  const clock: ClientClock = { now: () => 0, wait: () => Promise.resolve() };
  const client = new SluiceClient({ baseUrl: "http://a.example", clock, fetch: () => new Promise(() => undefined) });
  assert.is((await noAnswerOf(client.health())).reason, "timeout");
});

test("a closed port and a truncated response count as unreachable", async () => {
  let closed = "";
  await withForeign(
    (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => response.destroy());
    },
    async (baseUrl) => {
      closed = baseUrl;
      assert.is((await noAnswerOf(new SluiceClient({ baseUrl }).route(good))).reason, "unreachable");
    },
  );
  assert.is((await noAnswerOf(new SluiceClient({ baseUrl: closed }).route(good))).reason, "unreachable");
});

test("a redirect is not followed", async () => {
  const paths: (string | undefined)[] = [];
  await withForeign(
    ({ url }, response) => {
      paths.push(url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    },
    async (baseUrl) => {
      assert.is(
        (await noAnswerOf(new SluiceClient({ baseUrl: `${baseUrl}/in/front` }).route(good))).reason,
        "unreachable",
      );
    },
  );
  assert.equal(paths, ["/in/front/v1/route"]);
});

const answer = {
  request_id: "r",
  decision: "ROUTE",
  workflow_id: "card.block",
  confidence: 0.9,
  reason_code: "A_LATER_REASON",
  missing_inputs: [],
  confirmation_required: true,
  model_version: "m",
  calibration_version: "c",
  catalog_version: "cat-1",
  runtime_mode: "production",
  latency_ms: 1,
  candidates: null,
};

const bodies: readonly (readonly [name: string, status: number, body: string])[] = [
  ["a page of a proxy", 502, "<html>Bad Gateway</html>"],
  ["a 200 that is no JSON", 200, "ok"],
  ["a 200 that is a list", 200, "[]"],
  ["a problem whose status is another", 500, '{"status":409,"code":"CATALOG_VERSION_MISMATCH"}'],
  ["an unknown decision", 200, JSON.stringify({ ...answer, decision: "MAYBE" })],
  ["a ROUTE without a workflow", 200, JSON.stringify({ ...answer, workflow_id: null })],
  ["a ROUTE with missing inputs", 200, JSON.stringify({ ...answer, missing_inputs: ["a"] })],
  ["a CLARIFY without missing inputs", 200, JSON.stringify({ ...answer, decision: "CLARIFY" })],
  ["an LLM_REQUIRED with a workflow", 200, JSON.stringify({ ...answer, decision: "LLM_REQUIRED" })],
  ["a confidence of 7", 200, JSON.stringify({ ...answer, confidence: 7 })],
  ["a ROUTE with a reason to decline", 200, JSON.stringify({ ...answer, reason_code: "NO_WORKFLOW" })],
  ["a workflow that the request did not allow", 200, JSON.stringify({ ...answer, workflow_id: "card.other" })],
  ["the answer to another request", 200, JSON.stringify({ ...answer, catalog_version: "cat-0" })],
  ["a request id that is no id", 200, JSON.stringify({ ...answer, request_id: " " })],
  ...Object.keys(answer).map((field): readonly [string, number, string] => {
    return [`an answer without ${field}`, 200, JSON.stringify({ ...answer, [field]: undefined })];
  }),
];

for (const [name, status, body] of bodies) {
  test(`${name} is malformed, with its status`, () =>
    withForeign(
      (_request, response) => response.writeHead(status).end(body),
      async (baseUrl) => {
        const error = await noAnswerOf(new SluiceClient({ baseUrl }).route(good));
        assert.equal([error.reason, error.status], ["malformed", status]);
      },
    ));
}

test("the answer to another id is malformed", () =>
  withForeign(
    (_request, response) => response.end(JSON.stringify({ ...answer, request_id: "other" })),
    async (baseUrl) => {
      const error = await noAnswerOf(new SluiceClient({ baseUrl }).route({ ...good, request_id: "mine" }));
      assert.equal([error.reason, error.status], ["malformed", 200]);
    },
  ));

for (const [name, compressed] of [
  ["an endless response", false],
  ["a compressed response that unpacks to 1 GiB", true],
] as const) {
  test(`${name} is not read to its end`, () =>
    withForeign(
      (_request, response) => {
        const part = Buffer.alloc(65_536);
        const parts = Readable.from(
          (function* () {
            for (let count = 0; count < 16_384; count += 1) yield part;
          })(),
        );
        response.writeHead(200, compressed ? { "content-encoding": "gzip" } : {});
        const body = compressed ? parts.pipe(createGzip({ level: 1 })) : parts;
        body.on("error", () => undefined).pipe(response);
      },
      async (baseUrl) => {
        const before = process.memoryUsage().rss;
        const error = await noAnswerOf(new SluiceClient({ baseUrl, timeoutMs: 60_000 }).route(good));
        assert.equal([error.reason, error.status], ["malformed", 200]);
        assert.ok(process.memoryUsage().rss - before < 2 ** 28);
      },
    ));
}

test("an answer with a later reason code and more fields is understood", () =>
  withForeign(
    (_request, response) => response.end(JSON.stringify({ ...answer, more: 1 })),
    async (baseUrl) => {
      const found = await new SluiceClient({ baseUrl }).route(good);
      assert.equal([found.decision, found.reason_code, found.confirmation_required], ["ROUTE", "A_LATER_REASON", true]);
    },
  ));

test("an address that is none of http is refused when the client is made", () => {
  for (const baseUrl of ["router.example.com", "ftp://a.example", "https://", ""]) {
    assert.throws(() => new SluiceClient({ baseUrl }), TypeError);
  }
});

test("a page of another origin needs the origin in the settings, and then reads answers", async () => {
  const origin = "https://app.example.com";
  const settings = ApiSettings.productionDefaults({ trustedHosts: ["127.0.0.1"], corsOrigins: [origin] });
  await withServer(fixtureRouter(), { settings }, async (baseUrl) => {
    const seen: (string | null)[] = [];
    const fetch = async (address: string, init: FetchInit) => {
      const reply = await globalThis.fetch(address, init);
      seen.push(reply.headers.get("access-control-allow-origin"));
      return reply;
    };
    await new SluiceClient({ baseUrl, fetch, headers: { origin } }).route(good);
    assert.equal(seen, [origin]);
  });
});
