import { once } from "node:events";
import { Agent } from "node:http";
import type { ConnectionCounts } from "../../../serve/plugins/connection-limit.js";
import { ApiSettings } from "../../../serve/settings.js";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { gate, goodBody, grantAll, post, send, withServer } from "../support/http.js";
import { openManySilent, openSilent, type SilentKind } from "../support/silent-clients.js";

const limited = (maxConnections: number) => ({
  authorizer: grantAll,
  settings: ApiSettings.productionDefaults({ trustedHosts: ["127.0.0.1"], corsOrigins: [], maxConnections }),
});

for (const kind of ["silent", "half a head", "half a body"] satisfies SilentKind[]) {
  test(`the connection that has waited longest makes room for a newer one: ${kind}`, () =>
    withServer(fixtureRouter(), limited(10), async (base, app) => {
      const sockets = await openManySilent(base, 30, kind);
      assert.is((await post(base, goodBody)).status, 200);
      const ended = sockets.map((socket) => socket.readableEnded || socket.destroyed);
      assert.equal(ended.lastIndexOf(true) < ended.indexOf(false), true, "the oldest first");
      assert.ok(app.connectionCounts().open < 10);
      assert.is(app.connectionCounts().refused, 0);
      for (const socket of sockets) socket.destroy();
    }));
}

test("an idle connection makes room only when no other one waits for the rest of a request", () =>
  withServer(fixtureRouter(), limited(4), async (base, app) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = { path: "/health/live", agent };
    await send(base, call);
    const [kept] = Object.values(agent.freeSockets).flat();
    const silent = await openManySilent(base, 10);
    assert.is((await send(base, call)).status, 200);
    assert.is(Object.values(agent.freeSockets).flat()[0], kept, "the kept connection is still the same");
    for (const socket of silent) socket.destroy();
    const agents = Array.from({ length: 6 }, () => new Agent({ keepAlive: true }));
    for (const other of agents) assert.is((await send(base, { path: "/health/live", agent: other })).status, 200);
    assert.ok(app.connectionCounts().open < 4);
    for (const other of [agent, ...agents]) other.destroy();
  }));

test("a request under way is never closed for a newer connection, which is refused at the limit", async () => {
  const hold = gate();
  const router = fixtureRouter({ during: () => hold.opened });
  await withServer(router, limited(4), async (base, app) => {
    const answers: Promise<number>[] = [];
    for (let i = 1; i <= 4; i += 1) {
      answers.push(post(base, goodBody).then(({ status }) => status));
      while (router.seen.length < i) await new Promise((resolve) => setImmediate(resolve));
    }
    const refused = await openSilent(base, "silent");
    if (!refused.readableEnded && !refused.destroyed) await once(refused, "end");
    hold.open();
    assert.equal(await Promise.all(answers), [200, 200, 200, 200]);
    const { closedForRoom, refused: turnedAway }: ConnectionCounts = app.connectionCounts();
    assert.equal([closedForRoom, turnedAway], [0, 1]);
    refused.destroy();
  });
});
