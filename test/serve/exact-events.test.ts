/** An event decides only where policy, manifest, start option and the caller's grant all say so. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuthorizerOptions } from "../../serve/authorizers/configure-authorizer.js";
import { createApp } from "../../serve/app.js";
import type { Authorizer } from "../../serve/authorizer.js";
import { loadProductionRouter } from "../../serve/index.js";
import { ApiSettings } from "../../serve/settings.js";
import { assert, inTemporaryFolder, rejects, test } from "../support/test.js";
import { events, withEvents } from "../support/event-bundle.js";
import { inServedFolder, orderRequest, type ServedFolder } from "../support/served-bundles.js";
import { type Answer, post } from "./support/http.js";
import { bundleOptions, writeReleased } from "./support/released-bundle.js";

/** Nothing that a text could be routed for. */
const request = (eventType: string | null): object => ({
  ...orderRequest(1),
  text: "zebra",
  allowed_workflow_ids: ["orders.status", "invoices.refund"],
  ...(eventType === null ? {} : { event_type: eventType }),
});
const decided = ({ body }: Answer): readonly unknown[] => [body["decision"], body["reason_code"], body["workflow_id"]];
const byEvent = ["ROUTE", "EXACT_EVENT_RULE", "orders.status"];

/** Callers by the header `x-user`: the feed may name events, the desk may not. */
function proxyWithGrants({ folder }: ServedFolder): AuthorizerOptions {
  const policy = join(folder, "grants.yaml");
  const rules = [
    { claim: "x-user", value: "feed", workflow_ids: "all", events: true },
    { claim: "x-user", value: "desk", workflow_ids: "all" },
  ];
  writeFileSync(policy, JSON.stringify({ schema_version: 1, rules }));
  return { kind: "proxy", headers: ["x-user"], addresses: ["127.0.0.1"], policy };
}

test("a bundle with exact events starts only with the flag, and not with an authorizer that authenticates nobody", () =>
  inServedFolder(async (served) => {
    const error = await rejects(served.start({ bundle: await served.bundle(1, withEvents()) }), "IDENTITY_MISMATCH");
    assert.match(error.message, /allowExactEventRoutes: found false, expected true of the signed manifest/);
    assert.match(error.hint ?? "", /--allow-exact-events/);
  }));

test("exact events are refused with an authorizer that authenticates nobody, before anything is loaded", () =>
  inServedFolder(async (served) => {
    const options = { bundle: join(served.folder, "not-there"), allowExactEvents: true } as const;
    const error = await rejects(served.start(options), "PRODUCTION_CONFIGURATION");
    assert.match(error.message, /--authorizer local, which does not authenticate callers/);
    assert.is(error.entry.exitCode, 2);
  }));

test("the option must equal the manifest, at the start and for every bundle that replaces another", () =>
  inServedFolder(async (served) => {
    const authorizer = proxyWithGrants(served);
    const off = await served.bundle(1);
    await rejects(served.start({ bundle: off, authorizer, allowExactEvents: true }), "IDENTITY_MISMATCH");
    const server = await served.start({ bundle: off, authorizer, watch: served.folder });
    await served.bundle(2, withEvents());
    await server.reload();
    assert.is(server.runtime.snapshot().generation, 1);
    assert.ok(served.lines.some((line) => line.includes("sluice.replacement") && line.includes("IDENTITY_MISMATCH")));
  }));

test("only a caller whose grant says events is routed by event; for any other it is as if none were given", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1, withEvents());
    const server = await served.start({ bundle, authorizer: proxyWithGrants(served), allowExactEvents: true });
    const ask = async (user: string, event: string | null) =>
      decided(await post(server.address, request(event), { "x-user": user }));
    assert.equal(await ask("feed", events.low), byEvent);
    assert.equal(await ask("feed", events.high), ["ROUTE", "EXACT_EVENT_RULE", "invoices.refund"]);
    const byText = await ask("desk", null);
    assert.equal(byText, ["LLM_REQUIRED", "NO_WORKFLOW", null]);
    assert.equal(await ask("feed", null), byText);
    assert.equal(await ask("desk", events.low), byText);
    assert.equal(await ask("desk", events.high), byText);
    assert.is((await post(server.address, request(events.low), { "x-user": "eve" })).status, 403);
  }));

/** What an application of one's own answers to an event, with an authorizer that returns this. */
async function inProcess(folder: string, granted: Awaited<ReturnType<Authorizer>>): Promise<Answer> {
  const router = await loadProductionRouter({ ...bundleOptions(folder), allowExactEventRoutes: true });
  const settings = ApiSettings.productionDefaults({ trustedHosts: ["127.0.0.1"], corsOrigins: [] });
  const app = createApp(router, { settings, authorizer: async () => granted });
  try {
    return await post(await app.listen({ host: "127.0.0.1", port: 0 }), request(events.low));
  } finally {
    await app.close();
    await router.close();
  }
}

test("in process a plain list grants no events, and a grant that says so does", () =>
  inTemporaryFolder(async (folder) => {
    await writeReleased(folder, withEvents());
    await rejects(loadProductionRouter(bundleOptions(folder)), "IDENTITY_MISMATCH");
    const workflowIds = ["orders.status"];
    for (const granted of [workflowIds, { workflowIds }, { workflowIds, events: false }]) {
      assert.is((await inProcess(folder, granted)).body["decision"], "LLM_REQUIRED");
    }
    assert.equal(decided(await inProcess(folder, { workflowIds, events: true })), byEvent);
    const unclear = { workflowIds, events: "yes" } as unknown as Awaited<ReturnType<Authorizer>>;
    assert.is((await inProcess(folder, unclear)).body["code"], "AUTHORIZATION_FAILED");
  }));
