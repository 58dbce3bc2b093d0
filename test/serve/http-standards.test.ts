/** What RFC 9110 and 9112 say of requests that an ordinary client does not send, byte for byte over TCP. */
import { METHODS } from "node:http";
import type { ErrorCode } from "../../src/base/error-codes.js";
import { assert, test } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { goodBody, RecordingSink, withServer } from "./support/http.js";
import { assertProblem } from "./support/problem.js";
import { firstAnswer, rawExchange, requestBytes } from "./support/raw-exchange.js";

const secret = "card-4111-of-Ada";
const payload = JSON.stringify(goodBody);
const json = "Content-Type: application/json";
const host = "Host: 127.0.0.1";
const length = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}`;
const route = (lines: readonly string[], body = payload): string =>
  requestBytes("POST /v1/route HTTP/1.1", [host, json, ...lines], body);
const withBody = (body: string): string => route([length(body)], body);

interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly bytes: readonly (string | Uint8Array)[];
  readonly header?: readonly [string, string];
}
const refusal = (status: number, code: ErrorCode, ...bytes: Refusal["bytes"]): Refusal => ({ status, code, bytes });
const twoParts = [`GET /${secret.padEnd(10_000, "x")}`, `${"x".repeat(10_000)} HTTP/1.1\r\n${host}\r\n\r\n`] as const;
const head = (lines: readonly string[]): string => requestBytes("POST /v1/route HTTP/1.1", [host, json, ...lines]);

const refusals: Readonly<Record<string, Refusal>> = {
  "two Host headers": refusal(400, "REQUEST_MALFORMED", route(["Host: evil.example", length(payload)])),
  "the same Host header twice": refusal(400, "REQUEST_MALFORMED", route([host, length(payload)])),
  "an absolute target with another host": refusal(
    400,
    "REQUEST_MALFORMED",
    requestBytes("POST http://evil.example/v1/route HTTP/1.1", [host, json, length(payload)], payload),
  ),
  "an absolute target with another port": refusal(
    400,
    "REQUEST_MALFORMED",
    requestBytes("GET http://127.0.0.1:81/health HTTP/1.1", [host]),
  ),
  "an absolute target and a Host that nobody trusts": refusal(
    400,
    "HOST_NOT_TRUSTED",
    requestBytes("GET http://evil.example/health HTTP/1.1", ["Host: evil.example"]),
  ),
  "another expectation": refusal(417, "EXPECTATION_FAILED", route(["Expect: 200-maybe", length(payload)])),
  "an expectation other than 100-continue": refusal(
    417,
    "EXPECTATION_FAILED",
    route(["Expect: 100-continue, magic", length(payload)]),
  ),
  "a compressed body": {
    ...refusal(415, "MEDIA_TYPE_UNSUPPORTED", route(["Content-Encoding: gzip", length(payload)])),
    header: ["accept-encoding", "identity"],
  },
  "bytes that are no UTF-8": refusal(
    422,
    "REQUEST_INVALID",
    head([`Content-Length: ${payload.length + 2}`]),
    Buffer.from(payload.replace("block my card", "block \u00ff\u00fe my card"), "latin1").subarray(0, -1),
    Buffer.from("}"),
  ),
  "a field twice": refusal(422, "REQUEST_INVALID", withBody(`{"text":"a","text":"b"}`)),
  "a field twice, once escaped": refusal(422, "REQUEST_INVALID", withBody(`{"text":"a","\\u0074ext":"b"}`)),
  "a field twice inside of context": refusal(
    422,
    "REQUEST_INVALID",
    withBody(`{"text":"a","context":{"b":[{"c":1,"d":{},"c":1}]}}`),
  ),
  "a target over 8,000 characters": refusal(
    414,
    "TARGET_TOO_LONG",
    requestBytes(`GET /${secret.padEnd(8001, "x")} HTTP/1.1`, [host]),
  ),
  "a target over the limit of the parser": refusal(
    414,
    "TARGET_TOO_LONG",
    requestBytes(`GET /${secret.padEnd(20_000, "x")} HTTP/1.1`, [host]),
  ),
  "a target over the limit of the parser, in two packets": refusal(414, "TARGET_TOO_LONG", ...twoParts),
  "a header over the limit": refusal(
    431,
    "HEADERS_TOO_LARGE",
    requestBytes("GET /health HTTP/1.1", [host, `X-Odd: ${secret.padEnd(20_000, "x")}`]),
  ),
  "many headers over the limit": refusal(
    431,
    "HEADERS_TOO_LARGE",
    requestBytes("GET /health HTTP/1.1", [host, ...Array.from({ length: 2000 }, (_, n) => `X-${n}: ${secret}`)]),
  ),
  "chunks of compressed bytes": refusal(
    501,
    "TRANSFER_ENCODING_UNSUPPORTED",
    route(["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"),
  ),
  "a transfer encoding without chunks": refusal(
    501,
    "TRANSFER_ENCODING_UNSUPPORTED",
    route(["Transfer-Encoding: gzip"], "0\r\n\r\n"),
  ),
  "chunks inside of another encoding": refusal(
    501,
    "TRANSFER_ENCODING_UNSUPPORTED",
    route(["Transfer-Encoding: chunked, gzip"], "0\r\n\r\n"),
  ),
  "a tunnel": {
    ...refusal(
      405,
      "METHOD_NOT_ALLOWED",
      requestBytes("CONNECT evil.example:443 HTTP/1.1", ["Host: evil.example:443"]),
    ),
    header: ["allow", "GET, HEAD, POST"],
  },
  "bytes that are no HTTP": refusal(400, "REQUEST_MALFORMED", `${secret}\r\n\r\n`),
  "a path that cannot be decoded": refusal(400, "REQUEST_MALFORMED", requestBytes("GET /%zz HTTP/1.1", [host])),
  "a chunk of no length": refusal(400, "REQUEST_MALFORMED", route(["Transfer-Encoding: chunked"], `zz\r\n${secret}`)),
};

for (const [name, { status, code, bytes, header }] of Object.entries(refusals)) {
  test(`${name}: ${status} ${code}, in the common shape, with one log line`, async () => {
    const router = fixtureRouter();
    const telemetry = new RecordingSink();
    await withServer(router, { telemetry }, async (base) => {
      const received = await rawExchange(base, ...bytes);
      const answer = firstAnswer(received);
      assertProblem({ ...answer, text: received }, status, code);
      assert.is(answer.rest, "");
      assert.not.match(received, secret);
      if (header !== undefined) assert.is(answer.headers[header[0]], header[1]);
      const event = await telemetry.next("sluice.http");
      assert.equal([event.status_code, event.error_code, event.request_id], [status, code, answer.body["request_id"]]);
      assert.is(telemetry.events.filter((entry) => entry.event === "sluice.http").length, 1);
    });
    assert.is(router.seen.length, 0);
  });
}

test("an absolute target of a trusted host is served", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const first = "POST http://Router.Example.com/v1/route HTTP/1.1";
    const bytes = requestBytes(first, ["Host: router.example.com", json, length(payload)], payload);
    assert.is(firstAnswer(await rawExchange(base, bytes)).status, 200);
    const get = requestBytes("GET http://router.example.com/v1/route?x=1 HTTP/1.1", ["Host: router.example.com"]);
    assert.is(firstAnswer(await rawExchange(base, get)).status, 405);
  });
});

test("every method that the parser knows is a 405 with the right ones, QUERY included", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    for (const method of METHODS.filter((name) => name !== "POST" && name !== "CONNECT")) {
      const received = await rawExchange(base, requestBytes(`${method} /v1/route HTTP/1.1`, [host]));
      assert.match(received, /^HTTP\/1\.1 405 [^]*\r\nallow: POST\r\n/, method);
    }
  });
});

test("100 Continue comes when the body is wanted, and never before a refusal", async () => {
  const router = fixtureRouter();
  await withServer(router, {}, async (base) => {
    const expect = "Expect: 100-continue";
    const accepted = await rawExchange(base, route([expect, length(payload)]));
    assert.match(accepted, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    const refused: readonly (readonly [status: number, bytes: string])[] = [
      [413, head([expect, "Content-Length: 9000000"])],
      [400, requestBytes("POST /v1/route HTTP/1.1", ["Host: evil.example", json, expect, "Content-Length: 9"])],
      [404, requestBytes("POST /v2/route HTTP/1.1", [host, json, expect, "Content-Length: 9"])],
      [415, head([expect, "Content-Length: 9", "Content-Encoding: br"])],
    ];
    for (const [status, bytes] of refused) assert.is(firstAnswer(await rawExchange(base, bytes)).status, status);
  });
  assert.is(router.seen.length, 1);
});

test("a name for a prototype inside of context is refused like any field, with its path", async () => {
  const paths: readonly (readonly [context: string, path: string])[] = [
    ['{"__proto__":{"a":1}}', "/context/__proto__"],
    ['{"a":1,"__proto__":null}', "/context/__proto__"],
    ['{"constructor":{"prototype":{}}}', "/context/constructor"],
    [`{"${secret}":[{"__proto__":1}]}`, "/context"],
  ];
  await withServer(fixtureRouter(), {}, async (base) => {
    for (const [context, path] of paths) {
      const received = await rawExchange(base, withBody(`{"text":"a","context":${context}}`));
      const answer = firstAnswer(received);
      assertProblem({ ...answer, text: received }, 422, "REQUEST_INVALID");
      assert.equal(
        (answer.body["errors"] as { path: string }[]).map((fault) => fault.path),
        [path],
      );
      assert.not.match(received, secret);
    }
    const plain = { ...goodBody, context: { constructor: "Foo Ltd", prototype: 1 } };
    assert.is(firstAnswer(await rawExchange(base, withBody(JSON.stringify(plain)))).status, 200);
  });
});
