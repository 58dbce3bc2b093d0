/** Requests that an HTTP client would not send: lengths that contradict each other, huge heads, several at once. */
import { connect } from "node:net";
import { assert, test } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { goodBody, withServer } from "./support/http.js";

const payload = JSON.stringify(goodBody);
const marker = "secret-text-4111";

function head(...lines: readonly string[]): string {
  const first = ["POST /v1/route HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"];
  return `${[...first, ...lines].join("\r\n")}\r\n\r\n`;
}

/** Everything that comes back for these bytes until the server, or after `answers` answers this side, ends it. */
function exchange(base: string, bytes: string, answers = 1): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      received += part;
      if (received.split("}").length > answers && received.endsWith("}")) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

const length = `Content-Length: ${payload.length}`;
const chunked = "Transfer-Encoding: chunked";
const refused: Readonly<Record<string, string>> = {
  "a length and chunks": `${head(length, chunked)}0\r\n\r\n${payload}`,
  "two lengths": head(length, "Content-Length: 3") + payload,
  "a length that is no number": head("Content-Length: many") + payload,
  "a negative length": head("Content-Length: -1") + payload,
  "a chunk of a length that is none": `${head(chunked)}zz\r\n${marker}\r\n0\r\n\r\n`,
  "a space before a colon": `${head(`X-Odd : ${marker}`)}`,
  "a line that is folded": `${head("X-Odd: a", ` ${marker}`, length)}${payload}`,
  "a bare carriage return": `${head(`X-Odd: a\rb${marker}`, length)}${payload}`,
  "another version of HTTP": `POST /v1/route HTTP/3.7\r\nHost: 127.0.0.1\r\n${length}\r\n\r\n${payload}`,
};
for (const [name, bytes] of Object.entries(refused)) {
  test(`${name}: 400 in the common shape, and the connection ends`, async () => {
    const router = fixtureRouter();
    await withServer(router, {}, async (base) => {
      const answer = await exchange(base, bytes, Number.POSITIVE_INFINITY);
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(answer, /"code":"REQUEST_MALFORMED"/);
      assert.not.match(answer, new RegExp(marker));
    });
    assert.is(router.seen.length, 0);
  });
}

test("several requests in one write are answered one after another", async () => {
  const router = fixtureRouter();
  await withServer(router, {}, async (base) => {
    const ids = ["a", "b", "c"];
    const all = ids.map((id) => {
      const body = JSON.stringify({ ...goodBody, request_id: id });
      return head(`Content-Length: ${body.length}`) + body;
    });
    const answer = await exchange(base, all.join(""), ids.length);
    const answered = [...answer.matchAll(/"request_id":"(\w)"/gu)].map((match) => match[1]);
    assert.equal(answered, ids);
  });
});

test("a chunked body of single bytes is put together", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const chunks = [...payload].map((byte) => `1\r\n${byte}\r\n`).join("");
    assert.match(await exchange(base, `${head(chunked)}${chunks}0\r\n\r\n`), /"decision":"ROUTE"/);
  });
});

test("a connection upgrade is ignored", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await exchange(base, head("Connection: upgrade", "Upgrade: h2c", length) + payload);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
  });
});
