/** `POST /v1/shortlist` over TCP, with a real bundle wherever an answer depends on one. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../../serve/app.js";
import type { Authorizer } from "../../../serve/authorizer.js";
import { RouteResponseSchema } from "../../../src/documents/response.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import type { ShortlistCalibration } from "../../../src/documents/calibration.js";
import type { RoutingPolicy } from "../../../src/documents/policy.js";
import { matchesSchema } from "../../../src/documents/check-schema.js";
import { shortlistReasons } from "../../../src/documents/shortlist.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aDecliningCalibration, aPolicy, aShortlist } from "../../support/builders.js";
import { testModels } from "../../support/models.js";
import { ruleCatalog, ruleCatalogIds, ruleRouter } from "../../support/rule-router.js";
import type { BundleChanges } from "../../support/servable-bundle.js";
import { deskAndClerk, inServedFolder, orderRequest } from "../../support/served-bundles.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { type Answer, goodBody, post, productionSettings, send, withServer } from "../support/http.js";

const path = "/v1/shortlist";
const everyId = ["accounts.unlock", "invoices.refund", "orders.status"];
const texts = ["where is my order", "refund my last invoice", "my account is locked", "order invoice account", "zebra"];

const withShortlist = (shortlist: Partial<ShortlistCalibration> = {}): BundleChanges => ({
  files: (files) => {
    files.set("calibration.json", canonicalBytes(aCalibration({ shortlist: aShortlist(shortlist) })));
  },
});

const listed = ({ body }: Answer): readonly string[] =>
  (body["workflows"] as readonly { workflow_id: string }[]).map(({ workflow_id: id }) => id);
const reason = ({ body }: Answer): unknown => body["reason_code"];

/** A server on a real bundle, with callers by header. */
function serving(
  changes: BundleChanges,
  use: (ask: (body: object, user?: string, at?: string) => Promise<Answer>, folder: string) => Promise<void>,
): Promise<void> {
  return inServedFolder(async (served) => {
    const bundle = await served.bundle(1, changes);
    const { address } = await served.start({ bundle, authorizer: deskAndClerk(served) });
    const good = { ...orderRequest(1), allowed_workflow_ids: everyId };
    await use(
      (body, user = "desk", at = path) =>
        send(address, { path: at, body: { ...good, ...body }, headers: { "x-user": user } }),
      bundle,
    );
  });
}

test("a shortlist has the specified fields, and its first workflow the confidence of routing", () =>
  serving(withShortlist(), async (ask) => {
    const answer = await ask({ request_id: "order/7" });
    assert.is(answer.status, 200, answer.text);
    assert.equal(Object.keys(answer.body), [
      "request_id",
      "workflows",
      "complete",
      "reason_code",
      "model_version",
      "calibration_version",
      "catalog_version",
      "runtime_mode",
      "latency_ms",
    ]);
    assert.equal([answer.body["request_id"], answer.headers["x-request-id"]], ["order/7", "order/7"]);
    const workflows = answer.body["workflows"] as readonly Record<string, unknown>[];
    assert.equal(Object.keys(workflows[0] ?? {}), ["workflow_id", "confidence", "missing_inputs"]);
    const routed = await ask({}, "desk", "/v1/route");
    assert.equal(
      [workflows[0]?.["workflow_id"], workflows[0]?.["confidence"]],
      ["orders.status", routed.body["confidence"]],
    );
    assert.is(reason(answer), "SHORTLISTED");
  }));

test("no workflow outside of grant, allow list and block list is ever listed", () =>
  serving(withShortlist(), async (ask) => {
    const random = seededRandom(9);
    const some = (): readonly string[] => everyId.filter(() => random.uniform() < 0.75);
    let seen = 0;
    for (let round = 0; round < 60; round += 1) {
      const [allowed, blocked] = [some(), random.uniform() < 0.5 ? [] : some()];
      const user = random.uniform() < 0.5 ? "clerk" : "desk";
      const grant = user === "clerk" ? ["invoices.refund"] : everyId;
      const text = texts[round % texts.length];
      const answer = await ask({ text, allowed_workflow_ids: allowed, blocked_workflow_ids: blocked }, user);
      assert.is(answer.status, 200, answer.text);
      const ids = listed(answer);
      seen += ids.length;
      for (const id of ids) assert.ok(grant.includes(id) && allowed.includes(id) && !blocked.includes(id), id);
      assert.ok((shortlistReasons as readonly unknown[]).includes(reason(answer)), String(reason(answer)));
      const forbidden = everyId.filter((id) => !ids.includes(id));
      assert.not(
        forbidden.some((id) => answer.text.includes(id)),
        answer.text,
      );
    }
    assert.ok(seen > 10, `${seen}`);
  }));

test("a better workflow that the caller may not use empties the list", () =>
  serving(withShortlist(), async (ask) => {
    const answer = await ask({ text: "where is my order" }, "clerk");
    assert.equal([listed(answer), reason(answer), answer.body["complete"]], [[], "BETTER_MATCH_NOT_ALLOWED", false]);
  }));

test("the rules before any score are those of routing", () =>
  serving(withShortlist(), async (ask) => {
    assert.is((await ask({ catalog_version: "other" })).status, 409);
    assert.is(reason(await ask({ catalog_version: null })), "CATALOG_VERSION_REQUIRED");
    assert.is(reason(await ask({ allowed_workflow_ids: [] })), "NO_ELIGIBLE_WORKFLOW");
    assert.is((await ask({}, "stranger")).status, 403);
    assert.is((await ask({ text: "" })).status, 422);
    assert.is((await ask({ shortlist: true })).status, 422);
    assert.is(reason(await ask({ context: { note: "x".repeat(70_000) } })), "CONTEXT_TOO_LARGE");
  }));

test("a bundle that was changed on disk lists nothing", () =>
  serving(withShortlist(), async (ask, folder) => {
    assert.ok(listed(await ask({})).length > 0);
    appendFileSync(join(folder, "calibration.json"), " ");
    const answer = await ask({});
    assert.equal([listed(answer), reason(answer)], [[], "RUNTIME_INTEGRITY_FAILURE"]);
  }));

test("below the entry nothing fits, and without a certified shortlist nothing is listed", async () => {
  await serving(withShortlist({ entry: 1 }), async (ask) => {
    const answer = await ask({});
    assert.equal([listed(answer), reason(answer)], [[], "NO_WORKFLOW"]);
  });
  await serving({}, async (ask) => {
    const answer = await ask({});
    assert.equal([listed(answer), reason(answer)], [[], "SHORTLIST_NOT_CERTIFIED"]);
    assert.is((await ask({}, "desk", "/v1/route")).body["workflow_id"], "orders.status");
  });
});

const declining = aDecliningCalibration();
const orderBody = { text: "where is my order", catalog_version: "catalog-1", allowed_workflow_ids: ruleCatalogIds };

/** Callers by header, each with the workflows of `grants`; the header is the name where `isNamed`. */
function byHeader(grants: Record<string, readonly string[]>, isNamed = true): Authorizer {
  return ({ headers, scope }) => {
    const user = String(headers["x-user"]);
    if (isNamed) scope.authenticated_principal = user;
    return grants[user] ?? [];
  };
}

test("a policy that asks back answers with the two or three workflows, and no other does", async () => {
  const models = await testModels(ruleCatalog);
  const calibration = { ...declining, shortlist: aShortlist({ share: 0.1, size: 5 }) };
  const answered = async (changes: Partial<RoutingPolicy>): Promise<Answer> => {
    const router = ruleRouter(models, { runtimeMode: "production", calibration, policy: aPolicy(changes) });
    const found: Answer[] = [];
    await withServer(router, { authorizer: byHeader({ ada: ruleCatalogIds }) }, async (base) => {
      found.push(await post(base, { ...orderBody, text: "order invoice account" }, { "x-user": "ada" }));
    });
    return found[0] as Answer;
  };
  const asked = await answered({ ask_between: true });
  const { decision, reason_code, workflow_id, missing_inputs, between } = asked.body;
  assert.equal([decision, reason_code, workflow_id, missing_inputs], ["CLARIFY", "ASK_BETWEEN", null, []]);
  const ids = (between as readonly { workflow_id: string }[]).map((one) => one.workflow_id);
  assert.equal(ids, ["accounts.unlock", "orders.status", "invoices.refund"]);
  assert.ok(matchesSchema(RouteResponseSchema, asked.body));
  for (const policy of [{ ask_between: false }, {}]) {
    const { body } = await answered(policy);
    assert.equal([body["decision"], "between" in body], ["LLM_REQUIRED", false]);
  }
  await models.close();
});

test("only POST is answered", async () => {
  const router = fixtureRouter();
  await withServer(router, {}, async (base) => {
    const found = await send(base, { method: "GET", path });
    assert.equal([found.status, found.headers["allow"]], [405, "POST"]);
    const answer = await send(base, { path, body: goodBody });
    assert.equal([answer.status, listed(answer)], [200, ["card.block"]]);
  });
});

test("a caller that an authorizer denies gets nothing", async () => {
  const app = createApp(fixtureRouter(), { settings: productionSettings, authorizer: async () => [] });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    const answer = await send(base, { path, body: goodBody });
    assert.equal(listed(answer), []);
  } finally {
    await app.close();
  }
});
