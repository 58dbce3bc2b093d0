import type { RouteRequest } from "../../../src/documents/request.js";
import { assert, test } from "../../support/test.js";
import { aRouteRequest } from "../../support/builders.js";
import { Shadow, shadowedRouter } from "../../../serve/shadow/shadow.js";
import { expositionText } from "../../../serve/metrics/exposition.js";
import { type FixtureOptions, fixtureRouter } from "../support/fixture-router.js";
import { gate, RecordingSink } from "../support/http.js";
import { parseExposition, sampleValue } from "../support/parse-exposition.js";

const ask = (changes: Partial<RouteRequest> = {}): RouteRequest =>
  aRouteRequest({
    request_id: "r1",
    text: "block my secret card",
    catalog_version: "cat-1",
    allowed_workflow_ids: ["card.block", "card.order"],
    ...changes,
  });

/** An active router with a shadow; the shadow's router can be held, broken or not in order. */
function shadowed(shadowOptions: FixtureOptions = {}, limits: { queueLimit?: number; concurrency?: number } = {}) {
  const at = { time: 0 };
  const telemetry = new RecordingSink();
  const second = fixtureRouter({ catalogVersion: "cat-9", ...shadowOptions });
  const shadow = new Shadow({ router: second, telemetry, now: () => at.time, ...limits });
  const active = shadowedRouter(fixtureRouter(), shadow);
  const value = (name: string, labels: Record<string, string> = {}) =>
    sampleValue(parseExposition(expositionText(shadow.families())), name, labels);
  return { at, telemetry, second, shadow, active, value };
}

test("the shadow decides the same request under its own catalog version, and equal decisions are no flip", async () => {
  const { active, second, shadow, value } = shadowed();
  const response = await active.route(ask());
  assert.is(response.catalog_version, "cat-1");
  await shadow.settled();
  assert.equal([second.seen[0]?.catalog_version, second.seen[0]?.text], ["cat-9", "block my secret card"]);
  assert.is(value("sluice_shadow_comparisons_total", { tier: "medium" }), 1);
  assert.is(value("sluice_shadow_flips_total"), undefined);
});

test("flips are counted by kind and tier, and one of each pair of reasons is logged in a minute, without a text", async () => {
  const { at, active, shadow, telemetry, value } = shadowed({ blocked: ["card.block"] });
  for (let i = 0; i < 5; i += 1) await active.route(ask());
  await shadow.settled();
  const labels = { flip: "decision", from: "ROUTE", to: "LLM_REQUIRED", tier: "medium" };
  assert.is(value("sluice_shadow_flips_total", labels), 5);
  assert.is(telemetry.events.length, 1);
  const event = await telemetry.next("sluice.shadow_flip");
  assert.equal(
    [event.request_id, event.reason_code, event.shadow_reason_code, event.shadow_workflow_id],
    ["r1", "ACCEPTED_MEDIUM_RISK", "BELOW_RISK_THRESHOLD", null],
  );
  assert.not.match(JSON.stringify(event), /secret/);
  at.time = 60_000;
  await active.route(ask());
  await shadow.settled();
  assert.is(telemetry.events.length, 2);
});

test("the answer neither waits for a slow shadow nor changes with it, and what does not fit is not compared", async () => {
  const hold = gate();
  const { active, shadow, value } = shadowed({ during: () => hold.opened }, { queueLimit: 2, concurrency: 1 });
  const plain = await fixtureRouter().route(ask());
  for (let i = 0; i < 5; i += 1) {
    assert.equal(await active.route(ask()), plain);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(value("sluice_shadow_waiting"), 2);
  assert.is(value("sluice_shadow_skipped_total", { cause: "queue_full" }), 2);
  hold.open();
  await shadow.settled();
  assert.is(value("sluice_shadow_comparisons_total", { tier: "medium" }), 3);
});

test("a shadow that fails or is not in order is counted and compared with nothing", async () => {
  const failing = shadowed({ during: () => Promise.reject(new Error("broken")) });
  await failing.active.route(ask());
  await failing.shadow.settled();
  assert.is(failing.value("sluice_shadow_skipped_total", { cause: "failed" }), 1);
  const revoked = shadowed();
  revoked.second.problems.push("revoked");
  await revoked.active.route(ask());
  await revoked.shadow.settled();
  assert.is(revoked.value("sluice_shadow_skipped_total", { cause: "not_comparable" }), 1);
  assert.is(revoked.value("sluice_shadow_flips_total"), undefined);
});

test("closing drops what waits, closes the second bundle and lets later requests pass", async () => {
  const { active, second, shadow } = shadowed();
  await active.route(ask());
  await shadow.close();
  await active.route(ask());
  assert.equal([second.closed.count, second.seen.length], [1, 0]);
});
