import { ApiSettings } from "../../../serve/settings.js";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { grantAll, goodBody, post, send, withServer } from "../support/http.js";

const origin = "https://app.example.com";
const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };

test("a named origin may read answers, without credentials", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const { status, headers } = await post(base, goodBody, { origin });
    assert.is(status, 200);
    assert.is(headers["access-control-allow-origin"], origin);
    assert.is(headers["access-control-expose-headers"], "x-request-id");
    assert.is(headers["access-control-allow-credentials"], undefined);
    assert.is(headers.vary, "Origin");
  });
});

test("errors can be read by a named origin too", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const { status, headers } = await post(base, {}, { origin });
    assert.equal([status, headers["access-control-allow-origin"]], [422, origin]);
  });
});

test("another origin gets no permission", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    for (const other of ["https://evil.example", "http://app.example.com", `${origin}:8443`, "null"]) {
      const { headers } = await post(base, goodBody, { origin: other });
      assert.is(headers["access-control-allow-origin"], undefined);
      assert.is(headers.vary, "Origin");
    }
  });
});

test("a preflight of a named origin lists methods and headers", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const { status, headers, text } = await send(base, { method: "OPTIONS", headers: { origin, ...preflight } });
    assert.equal([status, text], [204, ""]);
    assert.is(headers["access-control-allow-origin"], origin);
    assert.is(headers["access-control-allow-methods"], "GET, POST");
    assert.is(headers["access-control-allow-headers"], "authorization, content-type, x-request-id");
    assert.is(headers["cache-control"], "no-store");
  });
});

test("a preflight of another origin is no permission", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const headers = { origin: "https://evil.example", ...preflight };
    const answer = await send(base, { method: "OPTIONS", headers });
    assert.is(answer.status, 405);
    assert.is(answer.headers["access-control-allow-methods"], undefined);
  });
});

test("without named origins there is no cross-origin access at all", async () => {
  const settings = ApiSettings.productionDefaults({ trustedHosts: ["127.0.0.1"], corsOrigins: [] });
  await withServer(fixtureRouter(), { settings, authorizer: grantAll }, async (base) => {
    const { headers } = await post(base, goodBody, { origin });
    assert.is(headers["access-control-allow-origin"], undefined);
    assert.is(headers.vary, undefined);
    assert.is((await send(base, { method: "OPTIONS", headers: { origin, ...preflight } })).status, 405);
  });
});
