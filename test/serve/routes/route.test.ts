import { request as httpRequest } from "node:http";
import { SluiceError } from "../../../src/base/error.js";
import { RouterRuntime } from "../../../src/router/runtime.js";
import { createApp } from "../../../serve/app.js";
import { AuthorizationDenied } from "../../../serve/authorizer.js";
import { ApiSettings } from "../../../serve/settings.js";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { gate, goodBody, post, RecordingSink, send, withServer } from "../support/http.js";

const responseFields = [
  "request_id",
  "decision",
  "workflow_id",
  "confidence",
  "reason_code",
  "missing_inputs",
  "confirmation_required",
  "model_version",
  "calibration_version",
  "catalog_version",
  "runtime_mode",
  "latency_ms",
  "candidates",
];
const development = { settings: ApiSettings.development() };

test("a good request is routed with the specified fields in their order", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await post(base, { ...goodBody, request_id: "order/7" });
    assert.is(answer.status, 200);
    assert.match(String(answer.headers["content-type"]), /^application\/json/);
    assert.equal(Object.keys(answer.body), responseFields);
    assert.equal(answer.body, {
      request_id: "order/7",
      decision: "ROUTE",
      workflow_id: "card.block",
      confidence: answer.body["confidence"],
      reason_code: "ACCEPTED_MEDIUM_RISK",
      missing_inputs: [],
      confirmation_required: false,
      model_version: "lex-1+pair-1",
      calibration_version: "cal-1",
      catalog_version: "cat-1",
      runtime_mode: "production",
      latency_ms: 1.25,
      candidates: null,
    });
    assert.type(answer.body["confidence"], "number");
  });
});

test("the router gets the request after defaults, with the text trimmed", async () => {
  const router = fixtureRouter();
  await withServer(router, {}, async (base) => {
    await post(base, { ...goodBody, text: "  block my card\n", request_id: " r1 ", context: { note: " kept " } });
  });
  assert.equal(router.seen[0], {
    request_id: "r1",
    text: "block my card",
    context: { note: " kept " },
    catalog_version: "cat-1",
    allowed_workflow_ids: ["card.block"],
    blocked_workflow_ids: [],
    event_type: null,
    language: null,
    debug: false,
  });
});

test("null counts as missing", async () => {
  const router = fixtureRouter();
  await withServer(router, {}, async (base) => {
    const body = { text: "x", request_id: null, catalog_version: null, allowed_workflow_ids: null, event_type: null };
    assert.is((await post(base, body)).status, 200);
  });
  assert.is(router.seen[0]?.catalog_version, null);
  assert.equal(router.seen[0]?.allowed_workflow_ids, ["card.block", "card.order"]);
  assert.is(router.seen[0]?.event_type, null);
});

test("a production request needs a catalog version, and is served with the list of the authorizer alone", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const noVersion = await post(base, { text: "x", allowed_workflow_ids: ["card.block"] });
    assert.is(noVersion.status, 200);
    assert.is(noVersion.body["reason_code"], "CATALOG_VERSION_REQUIRED");
    const noList = await post(base, { text: "x", catalog_version: "cat-1" });
    assert.is(noList.status, 200);
    assert.equal([noList.body["decision"], noList.body["workflow_id"]], ["ROUTE", "card.block"]);
  });
});

test("candidates appear in development when debug is set, and never in production", async () => {
  const body = { ...goodBody, debug: true };
  await withServer(fixtureRouter({ mode: "development" }), development, async (base) => {
    const [first] = (await post(base, body)).body["candidates"] as Record<string, unknown>[];
    assert.is(first?.["workflow_id"], "card.block");
    assert.is(first?.["confidence_threshold"], 0.6);
    assert.is((await post(base, goodBody)).body["candidates"], null);
  });
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await post(base, body);
    assert.is(answer.body["decision"], "ROUTE");
    assert.is(answer.body["candidates"], null);
  });
});

test("a different catalog version is a conflict, and the authorizer is not called", async () => {
  let asked = 0;
  const authorizer = async () => {
    asked += 1;
    return ["card.block"];
  };
  await withServer(fixtureRouter(), { authorizer }, async (base) => {
    const answer = await post(base, { ...goodBody, catalog_version: "cat-0" });
    assert.is(answer.status, 409);
    assert.is(answer.body["code"], "CATALOG_VERSION_MISMATCH");
    assert.is(asked, 0);
    assert.is((await post(base, goodBody)).status, 200);
    assert.is(asked, 1);
  });
});

test("a client can narrow what the authorizer grants, never widen it", async () => {
  const router = fixtureRouter();
  const authorizer = async () => ["card.order", "card.block", "card.order"];
  await withServer(router, { authorizer }, async (base) => {
    await post(base, { ...goodBody, allowed_workflow_ids: ["card.block", "card.other"] });
    await post(base, { ...goodBody, allowed_workflow_ids: ["card.other"] });
  });
  assert.equal(router.seen[0]?.allowed_workflow_ids, ["card.block"]);
  assert.equal(router.seen[1]?.allowed_workflow_ids, []);
});

test("a granted empty list allows nothing", async () => {
  await withServer(fixtureRouter(), { authorizer: async () => [] }, async (base) => {
    const answer = await post(base, goodBody);
    assert.is(answer.status, 200);
    assert.is(answer.body["reason_code"], "NO_ELIGIBLE_WORKFLOW");
  });
});

test("in development the granted list counts when the client gives none", async () => {
  const router = fixtureRouter({ mode: "development" });
  await withServer(router, { ...development, authorizer: async () => ["card.order"] }, async (base) => {
    await post(base, { text: "x" });
  });
  assert.equal(router.seen[0]?.allowed_workflow_ids, ["card.order"]);
});

test("the authorizer reads the principal from the scope and the parsed payload", async () => {
  const seen: unknown[] = [];
  const options = {
    authorizer: async (request: { scope: { authenticated_principal?: unknown } }, payload: { text: string }) => {
      seen.push(request.scope.authenticated_principal, payload.text);
      if (request.scope.authenticated_principal === undefined) throw new AuthorizationDenied("no principal");
      return ["card.block"];
    },
  };
  await withServer(fixtureRouter(), options, async (base) => {
    const answer = await post(base, goodBody);
    assert.is(answer.status, 403);
    assert.is(answer.body["code"], "AUTHORIZATION_DENIED");
    assert.not.match(answer.text, /no principal/);
  });
  assert.equal(seen, [undefined, "block my card"]);
});

test("a hook of the deployment can set the principal of each request", async () => {
  const settings = ApiSettings.productionDefaults({ trustedHosts: ["127.0.0.1"], corsOrigins: [] });
  const app = createApp(fixtureRouter(), {
    settings,
    authorizer: async (request) => {
      if (request.scope.authenticated_principal !== "ada") throw new AuthorizationDenied();
      return ["card.block"];
    },
  });
  app.addHook("onRequest", async (request) => {
    request.scope.authenticated_principal = request.headers["x-user"];
  });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    assert.is((await post(base, goodBody, { "x-user": "ada" })).status, 200);
    assert.is((await post(base, goodBody, { "x-user": "eve" })).status, 403);
    assert.is((await post(base, goodBody)).status, 403);
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
});

test("a failing authorizer gives a 503 without its message, and never widens access", async () => {
  const telemetry = new RecordingSink();
  const authorizer = () => Promise.reject(new TypeError("directory secret-host is down"));
  const router = fixtureRouter();
  await withServer(router, { authorizer, telemetry }, async (base) => {
    const answer = await post(base, goodBody);
    assert.is(answer.status, 503);
    assert.is(answer.body["code"], "AUTHORIZATION_UNAVAILABLE");
    assert.is(answer.headers["retry-after"], "1");
    assert.not.match(answer.text, /secret-host/);
    const event = await telemetry.next("sluice.http");
    assert.is(event.error_code, "AUTHORIZATION_UNAVAILABLE");
    assert.is(event.error_cause, "TypeError");
  });
  assert.is(router.seen.length, 0);
});

test("an inner failure of the router is a 500 without its message", async () => {
  const router = fixtureRouter({
    during: () => Promise.reject(new SluiceError("DOCUMENT_INVALID", "inner detail block my card")),
  });
  await withServer(router, {}, async (base) => {
    const answer = await post(base, goodBody);
    assert.is(answer.status, 500);
    assert.is(answer.body["code"], "INTERNAL");
    assert.not.match(answer.text, /inner detail|block my card/);
  });
});

test("requests in flight finish on their bundle during a swap; new requests get the new bundle", async () => {
  const hold = gate();
  const arrived = gate();
  const first = fixtureRouter({
    during: () => {
      arrived.open();
      return hold.opened;
    },
  });
  const runtime = new RouterRuntime(first);
  await withServer(runtime, {}, async (base) => {
    const old = post(base, goodBody);
    await arrived.opened;
    runtime.replace(fixtureRouter({ catalogVersion: "cat-2" }), { expectedGeneration: 1 });
    const fresh = await post(base, { ...goodBody, catalog_version: "cat-2" });
    assert.is(fresh.body["catalog_version"], "cat-2");
    assert.is((await post(base, goodBody)).status, 409);
    hold.open();
    assert.is((await old).body["catalog_version"], "cat-1");
  });
});

test("a client that leaves aborts its request, which is logged as closed by the client", async () => {
  const arrived = gate();
  const aborted = gate();
  const telemetry = new RecordingSink();
  const router = fixtureRouter({
    during: async (_request, signal) => {
      signal?.addEventListener("abort", () => aborted.open());
      arrived.open();
      await aborted.opened;
      throw new SluiceError("REQUEST_CANCELLED", "the caller disconnected before the response");
    },
  });
  await withServer(router, { telemetry }, async (base) => {
    const outgoing = httpRequest(`${base}/v1/route`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    outgoing.on("error", () => undefined);
    outgoing.end(JSON.stringify(goodBody));
    await arrived.opened;
    outgoing.destroy();
    await aborted.opened;
    const { status_code: statusCode, error_code: errorCode } = await telemetry.next("sluice.http");
    assert.is(statusCode, 499);
    assert.ok(errorCode === null || errorCode === "REQUEST_CANCELLED", `logged as ${errorCode}`);
  });
});

test("a request that is answered is not aborted", async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  const telemetry = new RecordingSink();
  const router = fixtureRouter({
    during: async (_request, signal) => {
      signals.push(signal);
    },
  });
  await withServer(router, { telemetry }, async (base) => {
    await post(base, goodBody);
    await telemetry.next("sluice.http");
  });
  assert.is(signals[0]?.aborted, false);
});

test("concurrent requests each get their answer", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const ids = Array.from({ length: 32 }, (_, i) => `req-${i}`);
    const answers = await Promise.all(ids.map((id) => post(base, { ...goodBody, request_id: id })));
    assert.equal(
      answers.map((answer) => answer.body["request_id"]),
      ids,
    );
  });
});

test("the route answers only under its versioned path", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    assert.is((await send(base, { path: "/route", body: goodBody })).status, 404);
    assert.is((await send(base, { path: "/v1/route/", body: goodBody })).status, 404);
  });
});
