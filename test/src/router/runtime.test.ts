import { RouterRuntime } from "../../../src/router/runtime.js";
import { assert, test, throws } from "../../support/test.js";
import { fixtureRouter } from "../../serve/support/fixture-router.js";
import { gate } from "../../serve/support/http.js";
import { aCalibration, aRouteRequest } from "../../support/builders.js";

const request = aRouteRequest({ text: "block my card" });

test("a new runtime is at generation 1 and describes its router", () => {
  const router = fixtureRouter();
  const runtime = new RouterRuntime(router, { clock: () => new Date("2026-01-02T03:04:05Z") });
  const snapshot = runtime.snapshot();
  assert.is(snapshot.generation, 1);
  assert.is(snapshot.router, router);
  assert.is(snapshot.ready, true);
  assert.is(snapshot.runtimeMode, "production");
  assert.is(snapshot.lineage, router.lineage);
  assert.is(snapshot.bundleId, router.bundleId);
  assert.is(snapshot.loadedAt.toISOString(), "2026-01-02T03:04:05.000Z");
});

test("readiness follows the integrity of the active router, both ways", () => {
  const router = fixtureRouter();
  const runtime = new RouterRuntime(router);
  router.problems.push("calibration differs from the manifest");
  assert.is(runtime.snapshot().ready, false);
  router.problems.length = 0;
  assert.is(runtime.snapshot().ready, true);
});

test("replace and rollback raise the generation; a second rollback re-applies", () => {
  const [first, second] = [fixtureRouter(), fixtureRouter({ catalogVersion: "cat-2" })];
  const runtime = new RouterRuntime(first);
  const replaced = runtime.replace(second, { expectedGeneration: 1 });
  assert.is(replaced.generation, 2);
  assert.is(replaced.router, second);
  const back = runtime.rollback({ expectedGeneration: 2 });
  assert.is(back.generation, 3);
  assert.is(back.router, first);
  const again = runtime.rollback({ expectedGeneration: 3 });
  assert.is(again.generation, 4);
  assert.is(again.router, second);
  assert.is(first.closed.count + second.closed.count, 0);
});

test("a stale generation changes nothing, for replace and for rollback", () => {
  const first = fixtureRouter();
  const runtime = new RouterRuntime(first);
  throws(() => runtime.replace(fixtureRouter(), { expectedGeneration: 0 }), "GENERATION_STALE");
  throws(() => runtime.replace(fixtureRouter(), { expectedGeneration: 2 }), "GENERATION_STALE");
  assert.is(runtime.snapshot().router, first);
  assert.is(runtime.snapshot().generation, 1);
  const second = fixtureRouter();
  runtime.replace(second, { expectedGeneration: 1 });
  throws(() => runtime.rollback({ expectedGeneration: 1 }), "GENERATION_STALE");
  assert.is(runtime.snapshot().router, second);
  assert.is(runtime.snapshot().generation, 2);
});

test("a rollback without a previous bundle says so", () => {
  const runtime = new RouterRuntime(fixtureRouter());
  const error = throws(() => runtime.rollback({ expectedGeneration: 1 }), "GENERATION_STALE");
  assert.match(error.message, /no previous bundle/);
  assert.is(runtime.snapshot().generation, 1);
});

test("a replacement cannot change the mode, in either direction", () => {
  const production = new RouterRuntime(fixtureRouter());
  throws(() => production.replace(fixtureRouter({ mode: "development" }), { expectedGeneration: 1 }), "MODE_CHANGE");
  assert.is(production.snapshot().generation, 1);
  const development = new RouterRuntime(fixtureRouter({ mode: "development" }));
  throws(() => development.replace(fixtureRouter(), { expectedGeneration: 1 }), "MODE_CHANGE");
});

test("a router that is not in order never becomes active, by replace or by rollback", () => {
  const [first, second] = [fixtureRouter(), fixtureRouter({ catalogVersion: "cat-2" })];
  const runtime = new RouterRuntime(first);
  second.problems.push("calibration differs from the manifest");
  const refused = throws(() => runtime.replace(second, { expectedGeneration: 1 }), "BUNDLE_NOT_READY");
  assert.match(refused.message, /calibration differs from the manifest/);
  assert.equal([runtime.snapshot().router, runtime.snapshot().generation], [first, 1]);
  second.problems.length = 0;
  runtime.replace(second, { expectedGeneration: 1 });
  first.problems.push("the approvals expired");
  throws(() => runtime.rollback({ expectedGeneration: 2 }), "BUNDLE_NOT_READY");
  assert.equal([runtime.snapshot().router, runtime.snapshot().generation], [second, 2]);
  first.problems.length = 0;
  assert.is(runtime.rollback({ expectedGeneration: 2 }).router, first);
});

test("of two replacements that expect the same generation one wins", () => {
  const runtime = new RouterRuntime(fixtureRouter());
  const [second, third] = [fixtureRouter(), fixtureRouter()];
  runtime.replace(second, { expectedGeneration: 1 });
  throws(() => runtime.replace(third, { expectedGeneration: 1 }), "GENERATION_STALE");
  assert.is(runtime.snapshot().router, second);
});

test("requests in flight finish on the router they began with", async () => {
  const hold = gate();
  const first = fixtureRouter({ during: () => hold.opened });
  const second = fixtureRouter({ catalogVersion: "cat-2" });
  const runtime = new RouterRuntime(first);
  const old = Array.from({ length: 16 }, () => runtime.withRouter((router) => router.route(request)));
  runtime.replace(second, { expectedGeneration: 1 });
  const fresh = await runtime.withRouter((router) => router.route(request));
  hold.open();
  for (const response of await Promise.all(old)) assert.is(response.catalog_version, "cat-1");
  assert.is(fresh.catalog_version, "cat-2");
  assert.is(first.seen.length, 16);
  assert.is(second.seen.length, 1);
});

test("a router that is no longer a rollback target is closed once, after its last request", async () => {
  const hold = gate();
  const first = fixtureRouter({ during: () => hold.opened });
  const runtime = new RouterRuntime(first);
  const running = [1, 2].map(() => runtime.withRouter((router) => router.route(request)));
  runtime.replace(fixtureRouter(), { expectedGeneration: 1 });
  assert.is(first.closed.count, 0, "still the previous bundle");
  runtime.replace(fixtureRouter(), { expectedGeneration: 2 });
  assert.is(first.closed.count, 0, "two requests still run on it");
  hold.open();
  await Promise.all(running);
  assert.is(first.closed.count, 1);
  await runtime.close();
  assert.is(first.closed.count, 1);
});

test("a failed request gives its router back", async () => {
  const first = fixtureRouter({ during: () => Promise.reject(new Error("broken")) });
  const runtime = new RouterRuntime(first);
  const failed = runtime.withRouter((router) => router.route(request)).catch((error: Error) => error.message);
  runtime.replace(fixtureRouter(), { expectedGeneration: 1 });
  runtime.replace(fixtureRouter(), { expectedGeneration: 2 });
  assert.is(await failed, "broken");
  assert.is(first.closed.count, 1);
});

test("a previous router that is put back by replace stays open", async () => {
  const [first, second] = [fixtureRouter(), fixtureRouter()];
  const runtime = new RouterRuntime(first);
  runtime.replace(second, { expectedGeneration: 1 });
  const snapshot = runtime.replace(first, { expectedGeneration: 2 });
  assert.is(snapshot.router, first);
  assert.is(first.closed.count + second.closed.count, 0);
  assert.is(runtime.rollback({ expectedGeneration: 3 }).router, second);
  await runtime.close();
  assert.is(first.closed.count, 1);
  assert.is(second.closed.count, 1);
});

/** A router whose manifest has this release number and floor. */
function released(release: number, rollbackFloor: number) {
  const monitor = {
    calibration: aCalibration(),
    release: { release, rollbackFloor },
    environment: null,
    deadlineMs: 2000,
    approvedUntil: () => null,
    statistics: () => assert.unreachable() as never,
  };
  return fixtureRouter({ monitor });
}

test("case 42: neither rollback nor replace goes below the signed floor of a bundle that was active", () => {
  const [first, second] = [released(1, 1), released(2, 2)];
  const runtime = new RouterRuntime(first);
  runtime.replace(second, { expectedGeneration: 1 });
  const error = throws(() => runtime.rollback({ expectedGeneration: 2 }), "ROLLBACK_BELOW_FLOOR");
  assert.match(error.message, /release 1 is below the signed floor 2/);
  throws(() => runtime.replace(released(1, 1), { expectedGeneration: 2 }), "ROLLBACK_BELOW_FLOOR");
  assert.is(runtime.snapshot().router, second);
  assert.is(runtime.snapshot().generation, 2);
  assert.is(runtime.snapshot().previous, first);
});

test("a rollback to the floor itself is possible, and the floor stays when its bundle is left", () => {
  const [second, third] = [released(2, 1), released(3, 2)];
  const runtime = new RouterRuntime(second);
  runtime.replace(third, { expectedGeneration: 1 });
  assert.is(runtime.rollback({ expectedGeneration: 2 }).router, second);
  throws(() => runtime.replace(released(1, 1), { expectedGeneration: 3 }), "ROLLBACK_BELOW_FLOOR");
});

test("swaps under load lose no request", async () => {
  const runtime = new RouterRuntime(fixtureRouter());
  const versions = ["cat-1"];
  const answers: Promise<string>[] = [];
  for (let round = 1; round <= 50; round += 1) {
    for (let i = 0; i < 4; i += 1) {
      answers.push(runtime.withRouter(async (router) => (await router.route(request)).catalog_version));
    }
    const catalogVersion = `cat-${round + 1}`;
    versions.push(catalogVersion);
    if (round % 5 === 0) runtime.rollback({ expectedGeneration: round });
    else runtime.replace(fixtureRouter({ catalogVersion }), { expectedGeneration: round });
    await Promise.resolve();
  }
  const seen = await Promise.all(answers);
  assert.is(seen.length, 200);
  assert.ok(seen.every((version) => versions.includes(version)));
  assert.is(runtime.snapshot().generation, 51);
  await runtime.close();
});
