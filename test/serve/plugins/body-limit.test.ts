import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixtureRouter } from "../support/fixture-router.js";
import { grantAll, goodBody, send, withServer } from "../support/http.js";
import { ApiSettings } from "../../../serve/settings.js";

const test = suite("serve/plugins/body-limit");

const bodyOf = (bytes: number): string => {
  const frame = JSON.stringify({ ...goodBody, context: { pad: "" } });
  return JSON.stringify({ ...goodBody, context: { pad: "x".repeat(bytes - frame.length) } });
};

test("a body of exactly the limit is accepted, one byte more is a 413", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    assert.is((await send(base, { body: bodyOf(131_072) })).status, 200);
    const answer = await send(base, { body: bodyOf(131_073) });
    assert.is(answer.status, 413);
    assert.is(answer.body["code"], "REQUEST_TOO_LARGE");
    assert.is(answer.body["request_id"], answer.headers["x-request-id"]);
    assert.is(answer.headers["content-type"], "application/problem+json");
    assert.is(answer.headers["cache-control"], "no-store");
  });
});

test("a chunked body without a declared length is counted while it arrives", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const chunk = (text: string): readonly string[] => text.match(/.{1,9000}/gsu) ?? [];
    assert.is((await send(base, { chunks: chunk(bodyOf(131_072)) })).status, 200);
    const answer = await send(base, { chunks: chunk(bodyOf(131_073)) });
    assert.is(answer.status, 413);
    assert.is(answer.body["code"], "REQUEST_TOO_LARGE");
  });
});

test("the limit is a setting, and it also holds for unknown paths", async () => {
  const settings = ApiSettings.productionDefaults({
    trustedHosts: ["127.0.0.1"],
    corsOrigins: [],
    bodyLimitBytes: 1024,
  });
  await withServer(fixtureRouter(), { settings, authorizer: grantAll }, async (base) => {
    assert.is((await send(base, { body: bodyOf(1024) })).status, 200);
    assert.is((await send(base, { body: bodyOf(1025) })).status, 413);
    assert.is((await send(base, { path: "/nowhere", body: bodyOf(1025) })).status, 413);
  });
});

test("size comes before trust in the host", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await send(base, { body: bodyOf(131_073), headers: { host: "evil.example" } });
    assert.is(answer.status, 413);
  });
});

test.run();
