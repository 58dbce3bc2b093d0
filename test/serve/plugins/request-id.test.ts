import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { goodBody, post, RecordingSink, send, withServer } from "../support/http.js";

test("without any id one is generated, the same in header and body", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const [first, second] = [await post(base, goodBody), await post(base, goodBody)];
    assert.match(String(first.body["request_id"]), /^req_[0-9a-f]{32}$/);
    assert.is(first.headers["x-request-id"], first.body["request_id"]);
    assert.is.not(first.body["request_id"], second.body["request_id"]);
  });
});

test("the generator can be given", async () => {
  await withServer(fixtureRouter(), { newRequestId: () => "fixed" }, async (base) => {
    assert.is((await send(base, { path: "/health" })).headers["x-request-id"], "fixed");
  });
});

test("a valid header id is used and echoed, on every route", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const headers = { "x-request-id": "trace:1/a.b_c-d" };
    const answer = await post(base, goodBody, headers);
    assert.is(answer.body["request_id"], "trace:1/a.b_c-d");
    assert.is(answer.headers["x-request-id"], "trace:1/a.b_c-d");
    assert.is((await send(base, { path: "/health/live", headers })).headers["x-request-id"], "trace:1/a.b_c-d");
    assert.is((await send(base, { path: "/nowhere", headers })).headers["x-request-id"], "trace:1/a.b_c-d");
  });
});

test("an invalid header id is replaced", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    for (const bad of ["has space", "-begins", "a".repeat(161), "semi;colon"]) {
      const answer = await post(base, goodBody, { "x-request-id": bad });
      assert.match(String(answer.headers["x-request-id"]), /^req_[0-9a-f]{32}$/);
    }
  });
});

test("the id in the body takes precedence, and the access log records both", async () => {
  const telemetry = new RecordingSink();
  await withServer(fixtureRouter(), { telemetry }, async (base) => {
    const answer = await post(base, { ...goodBody, request_id: "body-1" }, { "x-request-id": "header-1" });
    assert.is(answer.body["request_id"], "body-1");
    assert.is(answer.headers["x-request-id"], "body-1");
    const event = await telemetry.next("sluice.http");
    assert.equal([event.request_id, event.header_request_id], ["body-1", "header-1"]);
  });
});
