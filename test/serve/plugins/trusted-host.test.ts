import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ApiSettings } from "../../../serve/settings.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { grantAll, goodBody, post, send, withServer } from "../support/http.js";

const test = suite("serve/plugins/trusted-host");

const remoteOnly = {
  authorizer: grantAll,
  settings: ApiSettings.productionDefaults({ trustedHosts: ["router.example.com", "*.corp.example"], corsOrigins: [] }),
};

test("named hosts are accepted, with any port and in any case", async () => {
  await withServer(fixtureRouter(), remoteOnly, async (base) => {
    for (const host of [
      "router.example.com",
      "router.example.com:8443",
      "Router.Example.COM",
      "a.corp.example",
      "a.b.corp.example:1",
    ]) {
      assert.is((await post(base, goodBody, { host })).status, 200, host);
    }
  });
});

test("other hosts are refused before anything is looked at", async () => {
  const router = fixtureRouter();
  await withServer(router, remoteOnly, async (base) => {
    for (const host of [
      "evil.example",
      "router.example.com.evil.example",
      "corp.example",
      "xcorp.example",
      "127.0.0.1",
      "",
    ]) {
      const answer = await post(base, { bad: true }, { host });
      assert.is(answer.status, 400, host);
      assert.is(answer.body["code"], "HOST_NOT_TRUSTED");
    }
  });
  assert.is(router.seen.length, 0);
});

test("health answers probes from this machine, and only health does", async () => {
  await withServer(fixtureRouter(), remoteOnly, async (base) => {
    for (const path of ["/health", "/health/live", "/health/ready"]) {
      assert.is((await send(base, { path })).status, 200);
      assert.is((await send(base, { path, headers: { host: "localhost:8080" } })).status, 200);
      assert.is((await send(base, { path, headers: { host: "evil.example" } })).status, 400);
    }
    assert.is((await send(base, { path: "/healthy" })).status, 400);
    assert.is((await post(base, goodBody)).status, 400);
  });
});

test("development settings accept every host", async () => {
  const settings = ApiSettings.development();
  await withServer(fixtureRouter({ mode: "development" }), { settings }, async (base) => {
    assert.is((await post(base, goodBody, { host: "anything.example" })).status, 200);
  });
});

test.run();
