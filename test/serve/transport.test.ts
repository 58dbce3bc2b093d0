/** One set of transport rules on every address and method, and connections that close without losing the response. */
import { once } from "node:events";
import { connect } from "node:net";
import { SluiceClient } from "../../client/index.js";
import { startMetricsServer } from "../../serve/metrics/metrics-server.js";
import { createOpsPage } from "../../serve/ops/ops-page.js";
import { ApiSettings } from "../../serve/settings.js";
import { assert, test } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { gate, goodBody, grantAll, productionSettings, send, withServer } from "./support/http.js";

const payload = JSON.stringify(goodBody);

interface Bytes {
  readonly text: string;
  /** Ends the sending side after the text. */
  readonly end?: boolean;
  /** Sees everything received so far. */
  readonly onPart?: (received: string) => void;
}

/** What a server answers to bytes on a new connection, until it closes. */
async function answerTo(base: string, { text, end = false, onPart = () => undefined }: Bytes): Promise<string> {
  const socket = connect({ port: Number(new URL(base).port), host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    received += part;
    onPart(received);
  });
  socket.on("error", () => undefined);
  if (end) socket.end(text);
  else socket.write(text);
  await once(socket, "end");
  socket.destroy();
  return received;
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1]);

function requestText(line: string, headers: readonly string[], body = ""): string {
  const length = body === "" ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  return [line, ...headers, ...length, "connection: close", "", body].join("\r\n");
}

const json = "content-type: application/json";

/** 120 MB take a while where tests share the cores. */
const patience = 60_000;
const patient = ApiSettings.productionDefaults({
  trustedHosts: ["127.0.0.1"],
  corsOrigins: [],
  bodyLimitBytes: 131_072,
  requestTimeoutMs: patience,
  headersTimeoutMs: patience,
});

test("thirty bodies over the limit, sent at once, are all answered with a 413 that the client can read", () =>
  withServer(fixtureRouter(), { settings: patient }, async (base) => {
    const client = new SluiceClient({ baseUrl: base, timeoutMs: patience });
    const context = { pad: "x".repeat(4_000_000) };
    const request = { text: "block my card", catalog_version: "cat-1", allowed_workflow_ids: ["card.block"], context };
    const codes = await Promise.all(
      Array.from({ length: 30 }, () => client.route(request).then(String, (error: { code?: string }) => error.code)),
    );
    assert.equal([...new Set(codes)], ["REQUEST_TOO_LARGE"]);
  }));

test("a body that is streamed over the limit is answered with a 413 too", () =>
  withServer(fixtureRouter(), {}, async (base) => {
    const chunks = Array.from({ length: 40 }, () => " ".repeat(100_000));
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(base, { chunks })));
    assert.equal([...new Set(answers.map(({ status }) => status))], [413]);
  }));

test("a client that never stops sending after its response is cut off", () =>
  withServer(fixtureRouter(), {}, async (base) => {
    const socket = connect({ port: Number(new URL(base).port), host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write(`POST /v1/route HTTP/1.1\r\nhost: 127.0.0.1\r\n${json}\r\ncontent-length: 9000000000\r\n\r\n`);
    const part = Buffer.alloc(1_048_576);
    const more = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on("drain", more);
    more();
    await new Promise((resolve) => socket.once("close", resolve));
    assert.ok(socket.bytesWritten < 200_000_000, String(socket.bytesWritten));
  }));

test("a complete request is answered when the client ends its side at once, however long the answer takes", async () => {
  const held = gate();
  const inner = fixtureRouter();
  const router = {
    ...inner,
    route: async (...args: Parameters<typeof inner.route>) => (await held.opened, inner.route(...args)),
  };
  await withServer(router, {}, async (base) => {
    const text = requestText("POST /v1/route HTTP/1.1", ["host: 127.0.0.1", json], payload);
    // By then the server has asked twice whether somebody listens.
    const onPart = (received: string): void => (received.split("100 Continue").length > 2 ? held.open() : undefined);
    assert.match(await answerTo(base, { text, end: true, onPart }), /HTTP\/1\.1 200 OK\r\n[^]*"decision":"ROUTE"/u);
  });
});

test("health probes of HTTP/1.0 without a Host header are answered, other requests without one are not", () =>
  withServer(fixtureRouter(), {}, async (base) => {
    for (const path of ["/health", "/health/live", "/health/ready"]) {
      assert.is(statusOf(await answerTo(base, { text: `GET ${path} HTTP/1.0\r\n\r\n` })), 200, path);
    }
    const hostless = await answerTo(base, { text: requestText("GET /health HTTP/1.1", []) });
    assert.is(statusOf(hostless), 400);
    assert.match(hostless, "HOST_NOT_TRUSTED");
    assert.is(statusOf(await answerTo(base, { text: requestText("POST /v1/route HTTP/1.0", [json], payload) })), 400);
  }));

const twice: readonly (readonly [string, readonly string[]])[] = [
  ["Host", ["host: 127.0.0.1", "host: other.example"]],
  ["Content-Type", ["host: 127.0.0.1", json, "content-type: text/plain"]],
  ["Authorization", ["host: 127.0.0.1", json, "authorization: Bearer a", "authorization: Bearer b"]],
];
for (const [name, headers] of twice) {
  test(`two ${name} headers are refused on every method, path and address`, async () => {
    await withServer(fixtureRouter(), {}, async (base) => {
      for (const line of ["GET /health", "OPTIONS /v1/route", "GET /nowhere"]) {
        assert.is(statusOf(await answerTo(base, { text: requestText(`${line} HTTP/1.1`, headers) })), 400, line);
      }
      const posted = requestText("POST /v1/route HTTP/1.1", headers, payload);
      assert.is(statusOf(await answerTo(base, { text: posted })), 400);
    });
    const ops = createOpsPage(["127.0.0.1"], { clock: () => new Date("2026-03-01T12:00:00Z"), problems: () => [] });
    const metrics = await startMetricsServer({ host: "127.0.0.1", port: 0 }, { collect: () => [], ops });
    try {
      for (const path of ["/metrics", "/ops", "/nowhere"]) {
        const text = requestText(`GET ${path} HTTP/1.1`, headers);
        assert.is(statusOf(await answerTo(metrics.address, { text })), 400, path);
      }
    } finally {
      await metrics.close();
    }
  });
}

test("a preflight with a foreign Host is refused before its origin is read", () =>
  withServer(fixtureRouter(), { authorizer: grantAll, settings: productionSettings }, async (base) => {
    const preflight = { origin: "https://app.example.com", "access-control-request-method": "POST" };
    const ask = (host: string) => send(base, { method: "OPTIONS", headers: { ...preflight, host } });
    assert.is((await ask("127.0.0.1")).status, 204);
    const refused = await ask("rebound.example");
    assert.equal([refused.status, refused.headers["access-control-allow-origin"]], [400, undefined]);
  }));

test("another media type or charset is 415, and UTF-8 in any writing is read", () =>
  withServer(fixtureRouter(), {}, async (base) => {
    const status = async (type: string) =>
      (await send(base, { body: goodBody, headers: { "content-type": type } })).status;
    const charsets = ["application/json; charset=utf-16", "application/json;Charset=latin1"];
    for (const type of [...charsets, "application/x-www-form-urlencoded", "application/xml"]) {
      assert.is(await status(type), 415, type);
    }
    for (const type of ['application/json; charset="UTF-8"', "application/json;charset=utf-8"]) {
      assert.is(await status(type), 200, type);
    }
  }));

test("half of a surrogate pair is 422 in a text, a name and a list, and a whole pair is read", () =>
  withServer(fixtureRouter(), {}, async (base) => {
    const status = async (more: string) =>
      (await send(base, { body: `{"text":"block","catalog_version":"cat-1","allowed_workflow_ids":[],${more}}` }))
        .status;
    for (const more of [
      '"context":{"a":"\\ud800"}',
      '"context":{"\\uDFFF":1}',
      '"context":{"a":["x\\udc00\\ud83d"]}',
    ]) {
      assert.is(await status(more), 422, more);
    }
    assert.is(await status('"context":{"a":"\\ud83d\\ude00"}'), 200);
  }));
