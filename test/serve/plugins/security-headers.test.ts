import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { type Call, goodBody, send, withServer } from "../support/http.js";

const calls: readonly (readonly [number, Call])[] = [
  [200, { body: goodBody }],
  [200, { path: "/health" }],
  [200, { path: "/health/live" }],
  [400, { path: "/v1/route", headers: { host: "evil.example" } }],
  [404, { path: "/nowhere" }],
  [405, { method: "PUT", path: "/v1/route" }],
  [409, { body: { ...goodBody, catalog_version: "old" } }],
  [413, { body: "x".repeat(200_000) }],
  [415, { body: "x", headers: { "content-type": "text/html" } }],
  [422, { body: {} }],
];

for (const [status, call] of calls) {
  test(`an answer ${status} to ${call.method ?? ""} ${call.path ?? "/v1/route"} has the hardening headers`, async () => {
    await withServer(fixtureRouter(), {}, async (base) => {
      const { headers, status: found } = await send(base, call);
      assert.is(found, status);
      assert.is(headers["x-content-type-options"], "nosniff");
      assert.is(headers["x-frame-options"], "DENY");
      assert.is(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
      assert.is(headers["referrer-policy"], "no-referrer");
      assert.is(headers["cache-control"], "no-store");
      assert.is(headers["x-powered-by"], undefined);
    });
  });
}
