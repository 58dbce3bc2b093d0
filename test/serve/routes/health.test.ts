import type { Router } from "../../../src/documents/router.js";
import { RouterRuntime } from "../../../src/router/runtime.js";
import { runtimeMetrics } from "../../../serve/metrics/runtime-metrics.js";
import { assert, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { gate, goodBody, post, RecordingSink, send, withServer } from "../support/http.js";

const healthy = {
  status: "ok",
  ready: true,
  model_version: "lex-1+pair-1",
  calibration_version: "cal-1",
  catalog_version: "cat-1",
  runtime_mode: "production",
  generation: 1,
};

test("health gives lineage, readiness and generation", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await send(base, { path: "/health" });
    assert.is(answer.status, 200);
    assert.equal(answer.body, healthy);
    assert.equal(Object.keys(answer.body), Object.keys(healthy));
  });
});

test("while live decisions drift, health says so and stays ready", async () => {
  let drifting = true;
  await withServer(fixtureRouter(), { drifting: () => drifting }, async (base) => {
    for (const path of ["/health", "/health/ready"]) {
      const answer = await send(base, { path });
      assert.equal([answer.status, answer.body], [200, { ...healthy, status: "drifting" }]);
    }
    drifting = false;
    assert.equal((await send(base, { path: "/health" })).body, healthy);
  });
});

test("live answers with its status only", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await send(base, { path: "/health/live" });
    assert.is(answer.status, 200);
    assert.equal(answer.body, { status: "ok" });
  });
});

test("ready has the body of health", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await send(base, { path: "/health/ready" });
    assert.is(answer.status, 200);
    assert.equal(answer.body, healthy);
  });
});

test("a broken bundle makes ready 503, leaves health 200 and live untouched, and recovers", async () => {
  const router = fixtureRouter();
  const telemetry = new RecordingSink();
  await withServer(router, { telemetry }, async (base) => {
    router.problems.push("HASH_MISMATCH: calibration.json");
    const ready = await send(base, { path: "/health/ready" });
    assert.is(ready.status, 503);
    const notReady = { ...healthy, status: "not_ready", ready: false };
    assert.equal(ready.body, { ...notReady, problems: ["HASH_MISMATCH: calibration.json"] });
    const health = await send(base, { path: "/health" });
    assert.is(health.status, 200);
    assert.equal(health.body, notReady);
    assert.not.match((await post(base, goodBody)).text, /calibration\.json/);
    assert.is((await send(base, { path: "/health/live" })).status, 200);
    const event = await telemetry.next("sluice.readiness");
    assert.equal([event.ready, event.problems], [false, ["HASH_MISMATCH: calibration.json"]]);
    router.problems.length = 0;
    assert.is((await send(base, { path: "/health/ready" })).status, 200);
    assert.is((await telemetry.next("sluice.readiness")).ready, true);
    assert.is(telemetry.events.filter((entry) => entry.event === "sluice.readiness").length, 2);
  });
});

const withoutProbes: readonly (readonly [name: string, notice: (base: string, runtime: RouterRuntime) => unknown])[] = [
  ["a request", (base) => post(base, goodBody)],
  ["a request for a shortlist", (base) => send(base, { path: "/v1/shortlist", body: goodBody })],
  ["a scrape", (_base, runtime) => runtimeMetrics(runtime, () => new Date())],
  ["control status or the watch", (_base, runtime) => runtime.snapshot()],
];
for (const [name, notice] of withoutProbes) {
  test(`${name} that notices a change of readiness logs it once`, async () => {
    const router = fixtureRouter();
    const runtime = new RouterRuntime(router);
    const telemetry = new RecordingSink();
    await withServer(runtime, { telemetry }, async (base) => {
      const noticeTwice = async (): Promise<void> => {
        for (const _again of [1, 2]) {
          await notice(base, runtime);
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      router.problems.push("HASH_MISMATCH: calibration.json");
      await noticeTwice();
      const lost = await telemetry.next("sluice.readiness");
      assert.equal([lost.ready, lost.problems, lost.generation], [false, router.problems, 1]);
      router.problems.length = 0;
      await noticeTwice();
      assert.is((await telemetry.next("sluice.readiness")).ready, true);
      await send(base, { path: "/health/ready" });
      assert.is(telemetry.events.filter(({ event }) => event === "sluice.readiness").length, 2);
    });
  });
}

test("files that were only touched change no readiness, whoever looks while they are read again", async () => {
  const reading = ["files of the bundle were changed on disk: policy.json"];
  const touched: Router = { ...fixtureRouter(), integrityProblems: () => reading, integrityChecked: async () => [] };
  const runtime = new RouterRuntime(touched);
  const telemetry = new RecordingSink();
  await withServer(runtime, { telemetry }, async (base) => {
    assert.is(runtime.snapshot().ready, false);
    assert.is((await send(base, { path: "/health/ready" })).status, 200);
    assert.equal(
      telemetry.events.filter(({ event }) => event === "sluice.readiness"),
      [],
    );
  });
});

test("the generation follows replace and rollback", async () => {
  const runtime = new RouterRuntime(fixtureRouter());
  await withServer(runtime, {}, async (base) => {
    runtime.replace(fixtureRouter({ catalogVersion: "cat-2" }), { expectedGeneration: 1 });
    const replaced = await send(base, { path: "/health" });
    assert.equal([replaced.body["generation"], replaced.body["catalog_version"]], [2, "cat-2"]);
    runtime.rollback({ expectedGeneration: 2 });
    const back = await send(base, { path: "/health" });
    assert.equal([back.body["generation"], back.body["catalog_version"]], [3, "cat-1"]);
  });
});

test("health does not wait for requests that are being answered", async () => {
  const hold = gate();
  await withServer(fixtureRouter({ during: () => hold.opened }), {}, async (base) => {
    const waiting = Array.from({ length: 50 }, () => post(base, goodBody));
    assert.is((await send(base, { path: "/health/live" })).status, 200);
    assert.is((await send(base, { path: "/health/ready" })).status, 200);
    hold.open();
    for (const answer of await Promise.all(waiting)) assert.is(answer.status, 200);
  });
});

test("HEAD works for probes", async () => {
  await withServer(fixtureRouter(), {}, async (base) => {
    const answer = await send(base, { method: "HEAD", path: "/health/ready" });
    assert.equal([answer.status, answer.text], [200, ""]);
  });
});
