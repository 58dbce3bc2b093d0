import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { createApp } from "../../../serve/app.js";
import { ApiSettings } from "../../../serve/settings.js";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { grantAll, goodBody, post, send, withServer } from "../support/http.js";

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

test("other hosts are refused before anything is checked", async () => {
  const router = fixtureRouter();
  await withServer(router, remoteOnly, async (base) => {
    for (const host of [
      "evil.example",
      "router.example.com.evil.example",
      "corp.example",
      "xcorp.example",
      "evil.example/.corp.example",
      "evil.example,a.corp.example",
      "evil.example@a.corp.example",
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

/** An address of this machine that other machines use, where it has one. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}

test("a probe that names the address it connects to is answered, from any machine", async () => {
  const app = createApp(fixtureRouter(), remoteOnly);
  await app.listen({ host: "0.0.0.0", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const base = `http://${ownAddress()}:${port}`;
  try {
    for (const path of ["/health", "/health/live", "/health/ready"]) {
      assert.is((await send(base, { path })).status, 200, path);
      assert.is((await send(base, { path, headers: { host: "192.0.2.7" } })).status, 400, path);
    }
    assert.is((await post(base, goodBody)).body["code"], "HOST_NOT_TRUSTED");
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
});

test("development settings accept every host", async () => {
  const settings = ApiSettings.development();
  await withServer(fixtureRouter({ mode: "development" }), { settings }, async (base) => {
    assert.is((await post(base, goodBody, { host: "anything.example" })).status, 200);
  });
});
