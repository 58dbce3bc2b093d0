import { once } from "node:events";
import { connect } from "node:net";
import fastify from "fastify";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { type Answer, grantAll, goodBody, send, withServer } from "../support/http.js";
import { addErrorReplies } from "../../../serve/error-reply.js";
import { addBodyLimit } from "../../../serve/plugins/body-limit.js";
import { addRequestState } from "../../../serve/request-state.js";
import { ApiSettings } from "../../../serve/settings.js";

/** Sends a large body again until the server answers with a status. */
async function untilStatus(base: string, status: number): Promise<Answer> {
  for (;;) {
    const answer = await send(base, { body: bodyOf(150_000) });
    if (answer.status === status) return answer;
  }
}

const bodyOf = (bytes: number): string => {
  const frame = JSON.stringify({ ...goodBody, context: { pad: "" } });
  return JSON.stringify({ ...goodBody, context: { pad: "x".repeat(bytes - frame.length) } });
};

test("a body of exactly the limit is accepted, one byte more is a 413", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    assert.is((await send(base, { body: bodyOf(131_072) })).status, 200);
    const answer = await send(base, { body: bodyOf(131_073) });
    assert.is(answer.status, 413);
    assert.is(answer.body["code"], "REQUEST_TOO_LARGE");
    assert.is(answer.body["request_id"], answer.headers["x-request-id"]);
    assert.is(answer.headers["content-type"], "application/problem+json");
    assert.is(answer.headers["cache-control"], "no-store");
  });
});

test("a chunked body without a declared length is counted while it arrives", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const chunk = (text: string): readonly string[] => text.match(/.{1,9000}/gsu) ?? [];
    assert.is((await send(base, { chunks: chunk(bodyOf(131_072)) })).status, 200);
    const answer = await send(base, { chunks: chunk(bodyOf(131_073)) });
    assert.is(answer.status, 413);
    assert.is(answer.body["code"], "REQUEST_TOO_LARGE");
  });
});

test("the limit is a setting, and it also holds for unknown paths", async () => {
  const settings = ApiSettings.productionDefaults({
    trustedHosts: ["127.0.0.1"],
    corsOrigins: [],
    bodyLimitBytes: 1024,
  });
  await withServer(fixtureRouter(), { settings, authorizer: grantAll }, async (base) => {
    assert.is((await send(base, { body: bodyOf(1024) })).status, 200);
    assert.is((await send(base, { body: bodyOf(1025) })).status, 413);
    assert.is((await send(base, { path: "/nowhere", body: bodyOf(1025) })).status, 413);
  });
});

test("a list of 50,000 ids fits the default limit, in one part and in chunks", async () => {
  const router = fixtureRouter();
  const settings = ApiSettings.productionDefaults({ trustedHosts: ["127.0.0.1"], corsOrigins: [] });
  await withServer(router, { settings, authorizer: grantAll }, async (base) => {
    const ids = Array.from({ length: 50_000 }, (_, n) => `workflow.${String(n).padStart(29, "0")}`);
    const body = JSON.stringify({ ...goodBody, allowed_workflow_ids: ["card.block", ...ids.slice(1)] });
    assert.is((await send(base, { body })).body["decision"], "ROUTE");
    assert.is((await send(base, { chunks: body.match(/.{1,60000}/gu) ?? [] })).body["decision"], "ROUTE");
    assert.is((await send(base, { body: bodyOf(2_097_153) })).status, 413);
  });
});

test("large bodies share a budget; beyond it they get 503, small ones are still answered", async () => {
  const app = fastify();
  addRequestState(app);
  addBodyLimit(app, 400_000, 250_000);
  addErrorReplies(app, new Map());
  app.post("/v1/route", async () => ({ status: "ok" }));
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  const { hostname, port } = new URL(base);
  const holding = connect(Number(port), hostname);
  try {
    const head =
      "POST /v1/route HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 390000\r\n\r\n";
    holding.write(`${head}"${"x".repeat(200_000)}`);
    const large = await untilStatus(base, 503);
    assert.is(large.body["code"], "SERVER_OVERLOADED");
    assert.is(large.headers["retry-after"], "1");
    assert.is((await send(base, { body: bodyOf(1000) })).status, 200);
    holding.resume().end(`${"x".repeat(189_998)}"`);
    await once(holding, "close");
    await untilStatus(base, 200);
  } finally {
    holding.destroy();
    await app.close();
  }
});

test("size comes before trust in the host", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await send(base, { body: bodyOf(131_073), headers: { host: "evil.example" } });
    assert.is(answer.status, 413);
  });
});
