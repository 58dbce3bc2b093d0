import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { GrantPolicy } from "../../../src/documents/grant-policy.js";
import { type ProxyAuthorizerOptions, proxyAuthorizer } from "../../../serve/authorizers/proxy-authorizer.js";
import { assert, test, throws } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { goodBody, post, withServer } from "../support/http.js";

const policy: GrantPolicy = {
  schema_version: 1,
  rules: [
    { claim: "x-user", value: "ada", workflow_ids: ["card.block" as WorkflowId] },
    { claim: "x-groups", value: "desk", list: "comma", workflow_ids: ["card.block" as WorkflowId] },
  ],
};

function options(changes: Partial<ProxyAuthorizerOptions> = {}): ProxyAuthorizerOptions {
  return { headers: ["X-User", "X-Groups"], addresses: ["127.0.0.1"], policy, workflowIds: () => [], ...changes };
}

async function status(headers: Record<string, string | string[]>, changes: Partial<ProxyAuthorizerOptions> = {}) {
  const found: number[] = [];
  await withServer(fixtureRouter(), { authorizer: proxyAuthorizer(options(changes)) }, async (base) => {
    found.push((await post(base, goodBody, headers)).status);
  });
  return found[0];
}

test("a request from the proxy is served what its headers grant", async () => {
  assert.is(await status({ "x-user": "ada" }), 200);
  assert.is(await status({ "x-user": "eve", "x-groups": "staff, desk" }), 200);
  assert.is(await status({ "x-user": "ada" }, { addresses: ["127.0.0.0/8", "::1"] }), 200);
});

test("a request from any other address is denied, whatever it carries", async () => {
  assert.is(await status({ "x-user": "ada" }, { addresses: ["10.0.0.0/8"] }), 403);
  assert.is(await status({ "x-user": "ada", "x-forwarded-for": "10.1.2.3" }, { addresses: ["10.0.0.0/8"] }), 403);
});

test("no caller, an unknown caller, and a header that is there twice are denied", async () => {
  assert.is(await status({}), 403);
  assert.is(await status({ "x-user": " " }), 403);
  assert.is(await status({ "x-groups": "desk" }), 403);
  assert.is(await status({ "x-user": "eve" }), 403);
  assert.is(await status({ "x-user": ["ada", "eve"] }), 403);
  for (const user of ["eve, ada", "ada,eve", "eve ada", "ada "]) {
    assert.is(await status({ "x-user": user }), user === "ada " ? 200 : 403, user);
  }
  assert.is(await status({ "x-user": "eve", "x-groups": "service desk" }), 403);
});

test("only space and tab are optional white space: any other byte makes another name", async () => {
  assert.is(await status({ "x-user": " \tada\t " }), 200);
  for (const byte of ["\u00a0", "\u0085", "\u00ad"]) {
    assert.is(await status({ "x-user": `${byte}ada` }), 403);
    assert.is(await status({ "x-user": `ada${byte}` }), 403);
    assert.is(await status({ "x-user": "eve", "x-groups": `staff,${byte}desk` }), 403);
  }
});

test("addresses and header names are checked at the start", () => {
  for (const addresses of [[], ["proxy.example"], ["10.0.0.0/33"], ["10.0.0.0/0"], ["10.0.0.0/x"], ["::1/129"]]) {
    throws(() => proxyAuthorizer(options({ addresses })), "PRODUCTION_CONFIGURATION");
  }
  throws(() => proxyAuthorizer(options({ headers: ["x user"] })), "PRODUCTION_CONFIGURATION");
});
