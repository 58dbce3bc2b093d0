import { writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { sha256Hex } from "../../../../src/base/sha256.js";
import { openObjectStore, type StoreLimits } from "../../../../stages/score/queue/object-store.js";
import { verifiedBlobs } from "../../../../stages/score/queue/run-inputs.js";
import { assert, inTemporaryFolder, rejects, test } from "../../../support/test.js";
import { servingFolder, withHttpServer } from "../../../support/object-stores.js";

const bytes = Buffer.from("the bytes of an input");
const digest = sha256Hex(bytes);
const token = "a-token-that-nobody-may-see";
const quick: StoreLimits = { silentMs: 300, attemptMs: 5000, maxBytes: 1000, pauseMs: 1 };
const context = () => ({ signal: new AbortController().signal });

test("objects are written and read by digest over HTTP, with the header of a file", () =>
  inTemporaryFolder((folder) =>
    withHttpServer(servingFolder(join(folder, "store"), `Bearer ${token}`), async (url) => {
      await writeFile(join(folder, "token"), `${token}\n`);
      const settings = { inputs_credentials: join(folder, "token") };
      const store = await openObjectStore(`${url}/inputs/`, settings, context(), quick);
      assert.equal([await store.has(digest), await store.read(digest)], [false, null]);
      await store.write(digest, bytes);
      assert.equal([await store.has(digest), await store.read(digest)], [true, bytes]);

      await store.write(sha256Hex(Buffer.from("other")), bytes);
      const read = verifiedBlobs([store.read]);
      assert.equal(await read(digest), bytes);
      await rejects(read(sha256Hex(Buffer.from("other"))), "HASH_MISMATCH");
      await rejects(read(sha256Hex(Buffer.from("none"))), "FILE_MISSING");

      await writeFile(join(folder, "token"), `Basic ${token}`);
      const refused = await rejects(
        openObjectStore(`${url}/inputs`, settings, context(), quick).then((other) => other.read(digest)),
        "SERVER_UNREACHABLE",
      );
      assert.is(refused.message, `${url}/inputs: cannot be used (HTTP 401)`);
    }),
  ));

test("a store that fails, breaks off or is silent is asked again; for good, it is reported with its reason", async () => {
  const answers: Readonly<Record<string, RequestListener>> = {
    busy: (_, response) => void response.writeHead(503).end(),
    cut: (_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("half");
      setImmediate(() => response.destroy());
    },
    silent: () => undefined,
    stalled: (_, response) => void response.writeHead(200).write("half"),
  };
  const good: RequestListener = (_, response) => void response.writeHead(200).end(bytes);
  const reasons = { busy: "HTTP 503", cut: /ended|UND_ERR_SOCKET|ECONNRESET/, silent: "in time", stalled: "in time" };
  for (const [name, bad] of Object.entries(answers)) {
    let asked = 0;
    const listener =
      (failures: number): RequestListener =>
      (request, response) => {
        asked += 1;
        (asked <= failures ? bad : good)(request, response);
      };
    await withHttpServer(listener(3), async (url) => {
      const store = await openObjectStore(url, {}, context(), quick);
      assert.equal(await store.read(digest), bytes, name);
      assert.is(asked, 4, name);
    });
    await withHttpServer(listener(Number.POSITIVE_INFINITY), async (url) => {
      const store = await openObjectStore(url, {}, context(), { ...quick, silentMs: 50 });
      assert.match((await rejects(store.read(digest), "SERVER_UNREACHABLE")).message, reasons[name as "busy"], name);
      assert.is(asked, 8, name);
    });
  }
  const ended = await withHttpServer(good, async (url) => url);
  const nobody = await openObjectStore(ended, {}, context(), quick);
  assert.match((await rejects(nobody.has(digest), "SERVER_UNREACHABLE")).message, "(ECONNREFUSED)");
});

test("an object is bounded, whether or not its size is announced, and a redirection is not followed", async () => {
  const listeners: readonly RequestListener[] = [
    (_, response) => void response.end(Buffer.alloc(1001)),
    (_, response) => {
      response.write(Buffer.alloc(600));
      response.end(Buffer.alloc(600));
    },
  ];
  for (const listener of listeners) {
    await withHttpServer(listener, async (url) => {
      const store = await openObjectStore(url, {}, context(), quick);
      await rejects(store.read(digest), "TOO_LARGE");
    });
  }
  await withHttpServer(
    (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    async (url) => {
      const store = await openObjectStore(url, {}, context(), quick);
      assert.match((await rejects(store.read(digest), "SERVER_UNREACHABLE")).message, "(HTTP 302)");
      assert.match(
        (await rejects(store.write(digest, bytes), "SERVER_UNREACHABLE")).message,
        "did not accept it (HTTP 302)",
      );
    },
  );
});

test("an interruption ends the attempts", () =>
  withHttpServer(
    () => undefined,
    async (url) => {
      const stop = new AbortController();
      const store = await openObjectStore(url, {}, { signal: stop.signal }, { ...quick, silentMs: 60_000 });
      const reading = store.read(digest);
      stop.abort();
      assert.is(await reading.catch((error: Error) => error.name), "AbortError");
    },
  ));

test("the query of a signed address is sent with every request, and is in no message", () =>
  withHttpServer(
    ({ url }, response) => void response.writeHead(url?.endsWith(`/${digest}?sig=${token}`) ? 200 : 403).end(bytes),
    async (url) => {
      const store = await openObjectStore(`${url}/inputs/?sig=${token}`, {}, context(), quick);
      assert.equal([await store.has(digest), await store.read(digest)], [true, bytes]);
      const other = await openObjectStore(`${url}/inputs?sig=${token}x`, {}, context(), quick);
      const refused = await rejects(other.read(digest), "SERVER_UNREACHABLE");
      assert.is(refused.message, `${url}/inputs: cannot be used (HTTP 403)`);
    },
  ));

test("an address with a password is refused without repeating it, and http:// to another machine", () =>
  inTemporaryFolder(async (folder) => {
    const file = join(folder, "token");
    await writeFile(file, token);
    for (const address of [
      `https://user:${token}@host/x`,
      `https://host/x#${token}`,
      "http://host/x",
      "s3://team/inputs",
    ]) {
      const refused = await rejects(openObjectStore(address, { inputs_credentials: file }, context(), quick), "USAGE");
      assert.not.match(refused.message, token);
    }
    await writeFile(file, `${token}\nX-Header: 1`);
    const refused = await rejects(
      openObjectStore("https://h", { inputs_credentials: file }, context(), quick),
      "USAGE",
    );
    assert.not.match(refused.message, token);
  }));
