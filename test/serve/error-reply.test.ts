import { assert, test } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { goodBody, post, send, withServer } from "./support/http.js";
import { assertProblem } from "./support/problem.js";

const secret = "my-secret-card-4111";
const id = (n: number): string => `workflow_${n}`;
const invalid: readonly (readonly [name: string, body: unknown, path: string])[] = [
  ["no text", { catalog_version: "cat-1" }, "/text"],
  ["an empty text", { text: "" }, "/text"],
  ["a blank text", { text: " \n\t " }, "/text"],
  ["a text over 8000 characters", { text: secret.padEnd(8001, "x") }, "/text"],
  ["a text that is a number", { text: 7 }, "/text"],
  ["a text that is null", { text: null }, "/text"],
  ["an unknown field", { text: "x", [secret]: secret }, ""],
  ["an id with a space", { text: "x", request_id: `a ${secret}` }, "/request_id"],
  ["an id that begins with a dot", { text: "x", request_id: ".a" }, "/request_id"],
  ["an id of 161 characters", { text: "x", request_id: "a".repeat(161) }, "/request_id"],
  ["a context that is a list", { text: "x", context: [secret] }, "/context"],
  ["a context that is null", { text: "x", context: null }, "/context"],
  ["a catalog version of 161 characters", { text: "x", catalog_version: "v".repeat(161) }, "/catalog_version"],
  ["a catalog version that is a number", { text: "x", catalog_version: 1 }, "/catalog_version"],
  ["an allow list that is a text", { text: "x", allowed_workflow_ids: secret }, "/allowed_workflow_ids"],
  ["an allowed id in upper case", { text: "x", allowed_workflow_ids: ["Card.Block"] }, "/allowed_workflow_ids"],
  ["an allowed id twice", { text: "x", allowed_workflow_ids: ["card.a", " card.a"] }, "/allowed_workflow_ids"],
  ["a blocked list that is null", { text: "x", blocked_workflow_ids: null }, "/blocked_workflow_ids"],
  ["a blocked id twice", { text: "x", blocked_workflow_ids: ["card.a", "card.a"] }, "/blocked_workflow_ids"],
  ["an event type with a space", { text: "x", event_type: `a ${secret}` }, "/event_type"],
  ["a previous workflow with another field", { text: "x", previous: { workflow_id: null, [secret]: 1 } }, "/previous"],
  ["a debug flag that is a text", { text: "x", debug: "true" }, "/debug"],
  ["a debug flag that is a number", { text: "x", debug: 1 }, "/debug"],
  ["a list", [secret], ""],
  ["a text as document", JSON.stringify(secret), ""],
  ["null as document", "null", ""],
];

for (const [name, body, path] of invalid) {
  test(`${name} is a 422 that names the field and no value`, async () => {
    const router = fixtureRouter();
    await withServer(router, {}, async (base) => {
      const answer = await post(base, body);
      assertProblem(answer, 422, "REQUEST_INVALID");
      const [fault, ...others] = answer.body["errors"] as { path: string; rule: string }[];
      assert.is(fault?.path, path);
      assert.ok((fault?.rule ?? "").length > 0);
      assert.equal(Object.keys(fault ?? {}), ["path", "rule"]);
      assert.is(others.length, 0);
      assert.not.match(answer.text, new RegExp(secret));
    });
    assert.is(router.seen.length, 0);
  });
}

test("several faults are listed together", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await post(base, { debug: 1, event_type: 2, more: 3 });
    const paths = (answer.body["errors"] as { path: string }[]).map((fault) => fault.path);
    assert.equal(paths, ["/text", "/event_type", "/debug", ""]);
  });
});

test("unknown fields are one fault, which names none of them", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await post(base, { text: "x", [`please block ${secret}`]: 1, colour: 2 });
    assertProblem(answer, 422, "REQUEST_INVALID");
    assert.is((answer.body["errors"] as unknown[]).length, 1);
    assert.not.match(answer.text, new RegExp(`${secret}|colour`));
  });
});

test("limits are inclusive: 8000 characters of any script, 160 for ids", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    assert.is((await post(base, { ...goodBody, text: "😀".repeat(8000) })).status, 200);
    assert.is((await post(base, { ...goodBody, text: "😀".repeat(8001) })).status, 422);
    assert.is((await post(base, { ...goodBody, request_id: "a".repeat(160) })).status, 200);
  });
});

test("a long list of wrong ids is refused as fast as a right one", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const begin = performance.now();
    const answer = await post(base, { text: "x", allowed_workflow_ids: Array(60_000).fill(1) });
    assertProblem(answer, 422, "REQUEST_INVALID");
    assert.ok(performance.now() - begin < 2000);
    const many = Array.from({ length: 5000 }, (_, n) => id(n));
    assert.is((await post(base, { ...goodBody, allowed_workflow_ids: many })).status, 200);
  });
});

test("malformed and empty JSON are 422", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    for (const body of [`{"text": "${secret}"`, "", "{]", "undefined", '{"text": NaN}']) {
      const answer = await send(base, { method: "POST", body, headers: { "content-type": "application/json" } });
      assertProblem(answer, 422, "REQUEST_INVALID");
      assert.not.match(answer.text, new RegExp(secret));
    }
    assertProblem(await send(base, { method: "POST" }), 422, "REQUEST_INVALID");
  });
});

test("unknown paths are 404, wrong methods of known paths are 405 with the right ones", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    assertProblem(await send(base, { path: `/v2/${secret}?q=${secret}` }), 404, "NOT_FOUND");
    const get = await send(base, { method: "GET", path: "/v1/route?x=1" });
    assertProblem(get, 405, "METHOD_NOT_ALLOWED");
    assert.is(get.headers.allow, "POST");
    const health = await send(base, { path: "/health", body: {} });
    assertProblem(health, 405, "METHOD_NOT_ALLOWED");
    assert.is(health.headers.allow, "GET, HEAD");
    assertProblem(await send(base, { method: "OPTIONS", path: "/v1/route" }), 405, "METHOD_NOT_ALLOWED");
    assertProblem(await send(base, { method: "DELETE", path: "/health/ready" }), 405, "METHOD_NOT_ALLOWED");
  });
});

test("an error carries the request id of the header or of the body", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const fromHeader = await post(base, { text: "" }, { "x-request-id": "h-1" });
    assert.is(fromHeader.body["request_id"], "h-1");
    const fromBody = await post(base, { text: "", request_id: "b-1" }, { "x-request-id": "h-1" });
    assert.is(fromBody.body["request_id"], "b-1");
    assertProblem(fromBody, 422, "REQUEST_INVALID");
  });
});
