import { once } from "node:events";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { ApiSettings } from "../../serve/settings.js";
import { assert, test } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { goodBody, grantAll, post, RecordingSink, send, withServer } from "./support/http.js";
import { openSilent, type SilentKind, silentKinds } from "./support/silent-clients.js";

const options = {
  authorizer: grantAll,
  settings: ApiSettings.productionDefaults({
    trustedHosts: ["127.0.0.1"],
    corsOrigins: [],
    requestTimeoutMs: 300,
    headersTimeoutMs: 150,
    keepAliveTimeoutMs: 100,
  }),
};
const payload = JSON.stringify(goodBody);
const head = (length: number): string =>
  `POST /v1/route HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

async function open(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).setEncoding("utf8");
  await once(socket, "connect");
  return socket;
}

/** Everything that the server sends until it ends the connection. */
async function received(socket: Socket): Promise<string> {
  let text = "";
  for await (const part of socket) text += String(part);
  return text;
}

function assertTimeout(answer: string): void {
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
  assert.match(answer, /content-type: application\/problem\+json/);
  assert.match(answer, /cache-control: no-store/);
  assert.match(answer, /"code":"REQUEST_TIMEOUT"/);
  assert.not.match(answer, /block my card/);
}

test("a silent connection is closed after the header timeout", async () => {
  await withServer(fixtureRouter(), options, async (base) => {
    assertTimeout(await received(await open(base)));
  });
});

test("a truncated header is rejected", async () => {
  await withServer(fixtureRouter(), options, async (base) => {
    const socket = await open(base);
    socket.write(head(payload.length).slice(0, 40));
    assertTimeout(await received(socket));
  });
});

test("a truncated body is rejected and never reaches the router", async () => {
  const router = fixtureRouter();
  await withServer(router, options, async (base) => {
    const socket = await open(base);
    socket.write(head(payload.length) + payload.slice(0, 20));
    assertTimeout(await received(socket));
  });
  assert.is(router.seen.length, 0);
});

test("each connection that is ended has one line in the log", async () => {
  const payloadHead = head(payload.length);
  for (const [bytes, method] of [
    ["", "(none)"],
    [payloadHead.slice(0, 40), "(none)"],
    [payloadHead, "POST"],
  ] as const) {
    const telemetry = new RecordingSink();
    await withServer(fixtureRouter(), { ...options, telemetry }, async (base) => {
      const socket = await open(base);
      socket.write(bytes);
      const answer = await received(socket);
      const event = await telemetry.next("sluice.http");
      assert.equal([event.method, event.status_code, event.error_code], [method, 408, "REQUEST_TIMEOUT"]);
      assert.ok(answer.includes(event.request_id));
      assert.is(telemetry.events.length, 1);
    });
  }
});

test("a client that closes its sending side still gets its answer", async () => {
  await withServer(fixtureRouter(), options, async (base) => {
    const socket = await open(base);
    socket.end(head(payload.length) + payload);
    const answer = await received(socket);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(answer, /"decision":"ROUTE"/);
  });
});

test("an idle keep-alive connection is closed without a response", async () => {
  await withServer(fixtureRouter(), options, async (base) => {
    const socket = await open(base);
    socket.write(head(payload.length) + payload);
    const answer = await received(socket);
    assert.is(answer.match(/HTTP\/1\.1 /g)?.length, 1);
  });
});

for (const kind of Object.keys(silentKinds) as SilentKind[]) {
  test(`connections are closed on both sides although the clients never close theirs: ${kind}`, async () => {
    await withServer(fixtureRouter(), options, async (base, app) => {
      const sockets = await Promise.all(Array.from({ length: 20 }, () => openSilent(base, kind)));
      for (const socket of sockets) if (!socket.readableEnded) await once(socket, "end");
      const agent = new Agent({ keepAlive: true });
      for (let i = 0; i < 3; i += 1) assert.is((await send(base, { path: "/health/live", agent })).status, 200);
      const count = promisify((done: (error: Error | null, count: number) => void) => app.server.getConnections(done));
      while ((await count()) > 1) await new Promise((resolve) => setImmediate(resolve));
      agent.destroy();
      for (const socket of sockets) socket.destroy();
    });
  });
}

test("slow connections delay nobody else", async () => {
  await withServer(fixtureRouter(), options, async (base) => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => open(base)));
    for (const socket of slow) socket.write(head(payload.length));
    assert.is((await post(base, goodBody)).status, 200);
    for (const socket of slow) socket.destroy();
  });
});
