import {
  askedGrant,
  type Authorizer,
  AuthorizationDenied,
  effectiveAllowList,
  type ScopedRequest,
} from "../../serve/authorizer.js";
import { ApiSettings } from "../../serve/settings.js";
import { aRouteRequest } from "../support/builders.js";
import { assert, test } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { goodBody, post, withServer } from "./support/http.js";

const settings = ApiSettings.productionDefaults({
  trustedHosts: ["127.0.0.1"],
  corsOrigins: [],
  authorizerTimeoutMs: 50,
});

async function outcome(authorizer: unknown): Promise<readonly [status: number, code: unknown]> {
  const found: (readonly [number, unknown])[] = [];
  await withServer(fixtureRouter(), { authorizer: authorizer as Authorizer, settings }, async (base) => {
    const { status, body } = await post(base, goodBody);
    found.push([status, body["code"] ?? body["decision"]]);
  });
  return found[0] ?? [0, null];
}

const granted = (list: readonly string[]) => ({ ids: new Set(list), list });
const failed = [500, "AUTHORIZATION_FAILED"];
const unavailable = [503, "AUTHORIZATION_UNAVAILABLE"];
const bad: readonly (readonly [name: string, result: unknown])[] = [
  ["a bare text", "card.block"],
  ["an object", { 0: "card.block", length: 1 }],
  ["a set", new Set(["card.block"])],
  ["an id that breaks the grammar", ["card.block", "Card Block"]],
  ["an id that is no text", ["card.block", 7]],
  ["more than 50,000 ids", Array.from({ length: 50_001 }, (_, n) => `workflow_${n}`)],
];

for (const [name, result] of bad) {
  test(`an authorizer that returns ${name} has failed`, async () => {
    assert.equal(await outcome(async () => result), failed);
  });
}

test("50,000 ids are accepted", async () => {
  const ids = ["card.block", ...Array.from({ length: 49_999 }, (_, n) => `workflow_${n}`)];
  assert.equal(await outcome(async () => ids), [200, "ROUTE"]);
});

test("a result without a promise is accepted, a synchronous denial too", async () => {
  assert.equal(await outcome(() => ["card.block"]), [200, "ROUTE"]);
  const deny = (): never => {
    throw new AuthorizationDenied("no");
  };
  assert.equal(await outcome(deny), [403, "AUTHORIZATION_DENIED"]);
});

test("a denial of another copy of the package is a denial", async () => {
  const foreign = Object.assign(new Error("no"), { name: "AuthorizationDenied" });
  assert.equal(await outcome(() => Promise.reject(foreign)), [403, "AUTHORIZATION_DENIED"]);
});

test("anything else that is thrown leaves the door closed", async () => {
  assert.equal(await outcome(() => Promise.reject(new Error("database down"))), unavailable);
  assert.equal(await outcome(() => Promise.reject("text")), unavailable);
  assert.equal(await outcome(() => Promise.reject(undefined)), unavailable);
});

test("an authorizer that never answers runs into its time limit", async () => {
  assert.equal(await outcome(() => new Promise(() => undefined)), unavailable);
});

test("the effective list is the intersection, in the order of the client", () => {
  assert.equal(effectiveAllowList(["c.c", "a.a", "x.x"], granted(["a.a", "b.b", "c.c"]), true), ["c.c", "a.a"]);
  assert.equal(effectiveAllowList([], granted(["a.a"]), true), []);
  assert.equal(effectiveAllowList(["a.a"], granted([]), false), []);
  assert.equal(effectiveAllowList(null, granted(["a.a"]), true), ["a.a"]);
  assert.equal(effectiveAllowList(null, granted(["a.a"]), false), ["a.a"]);
});

test("without a granted list nothing is allowed, whatever the client requests", async () => {
  for (const requested of [null, [], ["a.a"]]) {
    assert.is(effectiveAllowList(requested, null, true), null);
    assert.equal(effectiveAllowList(requested, null, false), []);
  }
  for (const nothing of [undefined, null]) {
    const authorizer = (async () => nothing) as unknown as Authorizer;
    await withServer(fixtureRouter(), { authorizer, settings }, async (base) => {
      for (const allowed_workflow_ids of [["card.block"], null]) {
        const { status, body } = await post(base, { ...goodBody, allowed_workflow_ids });
        assert.equal([status, body["reason_code"]], [200, "WORKFLOW_ALLOWLIST_REQUIRED"]);
      }
    });
    await withServer(fixtureRouter({ mode: "development" }), { authorizer, settings }, async (base) => {
      assert.is((await post(base, goodBody)).body["reason_code"], "NO_ELIGIBLE_WORKFLOW");
    });
  }
});

test("a list that cannot change is checked once, and one that can each time", async () => {
  const [request, payload] = [{} as ScopedRequest, aRouteRequest()];
  const grant = (list: readonly string[]) =>
    askedGrant(() => list, request, payload, { timeoutMs: 1000, known: new Set() });
  const frozen = Object.freeze(["card.block", "card.order", "card.block"]);
  const [first, second] = [await grant(frozen), await grant(frozen)];
  assert.equal(first.workflowIds?.list, ["card.block", "card.order"]);
  assert.ok(first.workflowIds === second.workflowIds);
  const open = ["card.block"];
  await grant(open);
  open.push("card.order");
  assert.equal((await grant(open)).workflowIds?.list, ["card.block", "card.order"]);
});
