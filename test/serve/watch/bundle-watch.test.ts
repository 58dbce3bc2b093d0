import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SluiceError } from "../../../src/base/error.js";
import { RouterRuntime } from "../../../src/router/runtime.js";
import { BundleManager } from "../../../serve/control/bundle-manager.js";
import { BundleWatch } from "../../../serve/watch/bundle-watch.js";
import { EventMetrics } from "../../../serve/metrics/event-metrics.js";
import { expositionText } from "../../../serve/metrics/exposition.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import { aCalibration } from "../../support/builders.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { RecordingSink } from "../support/http.js";

const idOf = (release: number): string => String(release).padStart(64, "0");

/** A folder that claims to be the bundle of a release; only loading would verify it. */
function claim(folder: string, release: number): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bundle.json"), JSON.stringify({ bundle_id: idOf(release) }));
  const payload = Buffer.from(JSON.stringify({ predicate: { release } })).toString("base64");
  writeFileSync(join(folder, "manifest.dsse.json"), JSON.stringify({ payload }));
  return folder;
}

function routerOf(release: number) {
  const monitor = {
    calibration: aCalibration(),
    release: { release, rollbackFloor: 1 },
    environment: null,
    deadlineMs: 2000,
    approvedUntil: () => null,
    statistics: () => assert.unreachable() as never,
  };
  return fixtureRouter({ bundleId: idOf(release), catalogVersion: `cat-${release}`, monitor });
}

/** A watch over `path` whose runtime serves release 1, and everything that a test looks at. */
function watched(path: string, directory: string) {
  const at = { time: 0 };
  const loads: string[] = [];
  const refused = new Set<string>();
  const runtime = new RouterRuntime(routerOf(1));
  const telemetry = new RecordingSink();
  const manager = new BundleManager({
    runtime,
    directory,
    load: async (folder) => {
      loads.push(folder.split("/").at(-1) ?? "");
      if (refused.has(folder)) throw new SluiceError("EXPIRED", "approvals ended");
      return { router: routerOf(Number(/\d+$/u.exec(folder)?.[0])), keepState: async () => undefined };
    },
    requireMemory: async () => undefined,
    telemetry,
    now: () => at.time,
  });
  const watch = new BundleWatch({ path, manager, telemetry, now: () => at.time });
  const active = () => runtime.snapshot().router.monitor?.release?.release;
  return { at, loads, refused, runtime, telemetry, manager, watch, active };
}

test("the highest release in a folder above the active one is loaded, once", () =>
  inTemporaryFolder(async (folder) => {
    const { loads, watch, active } = watched(folder, claim(join(folder, "b-1"), 1));
    await watch.look();
    assert.equal(loads, []);
    claim(join(folder, "b-2"), 2);
    claim(join(folder, "b-3"), 3);
    mkdirSync(join(folder, "notes"));
    await watch.look();
    await watch.look();
    assert.equal([loads, active()], [["b-3"], 3]);
  }));

test("a refused bundle is tried again when it changes or after a minute, and a lower one may come first", () =>
  inTemporaryFolder(async (folder) => {
    const { at, loads, refused, watch, active, telemetry } = watched(folder, claim(join(folder, "b-1"), 1));
    const third = claim(join(folder, "b-3"), 3);
    refused.add(third);
    claim(join(folder, "b-2"), 2);
    await watch.look();
    assert.equal([loads, active()], [["b-3", "b-2"], 2]);
    const event = await telemetry.next("sluice.replacement");
    assert.equal([event.trigger, event.error_code, event.generation], ["watch", "EXPIRED", 1]);
    await watch.look();
    assert.is(loads.length, 2);
    at.time = 60_000;
    await watch.look();
    assert.is(loads.length, 3);
    writeFileSync(join(third, "approval"), "new");
    refused.clear();
    await watch.look();
    assert.equal([loads.length, active()], [4, 3]);
  }));

test("a rollback is undone only by a new path or a command, not by the watch", () =>
  inTemporaryFolder(async (folder) => {
    const link = join(folder, "current");
    const lead = (target: string): void => {
      symlinkSync(target, `${link}.new`);
      renameSync(`${link}.new`, link);
    };
    const first = claim(join(folder, "b-1"), 1);
    lead(first);
    const { manager, watch, active } = watched(link, first);
    const second = claim(join(folder, "b-2"), 2);
    lead(second);
    await watch.look();
    assert.is(active(), 2);
    await manager.rollback({ expectedGeneration: 2 });
    await watch.look();
    assert.is(active(), 1, "the rollback stays");
    await watch.rescan();
    assert.is(active(), 2, "somebody asked for it");
    await manager.rollback({ expectedGeneration: 4 });
    lead(claim(join(folder, "b-3"), 3));
    await watch.look();
    lead(second);
    await watch.look();
    assert.is(active(), 2, "the path left and came back");
  }));

test("an unreadable path is reported once, and the active bundle keeps serving", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "bundles");
    const { watch, active, telemetry } = watched(path, claim(join(path, "b-1"), 1));
    rmSync(path, { recursive: true });
    await watch.look();
    await watch.look();
    assert.equal(
      telemetry.events.map((event) => "error_code" in event && event.error_code),
      ["FILE_NOT_FOUND"],
    );
    assert.is(active(), 1);
  }));

test("the active bundle is loaded from another folder while its own folder is invalid", () =>
  inTemporaryFolder(async (folder) => {
    const first = claim(join(folder, "b-1"), 1);
    const { loads, runtime, watch } = watched(folder, first);
    claim(join(folder, "copy-1"), 1);
    await watch.look();
    assert.equal(loads, []);
    (runtime.router as ReturnType<typeof fixtureRouter>).problems.push("approvals ended");
    const before = runtime.router as ReturnType<typeof fixtureRouter>;
    await watch.look();
    assert.equal(loads, ["copy-1"]);
    assert.is(runtime.snapshot().ready, true);
    assert.equal([runtime.snapshot().generation, before.closed.count], [1, 1], "the same bundle");
  }));

test("the active bundle as a replacement changes neither generation nor what a rollback makes active", () =>
  inTemporaryFolder(async (folder) => {
    const { manager, runtime, telemetry } = watched(folder, claim(join(folder, "b-1"), 1));
    const metrics = new EventMetrics();
    const first = runtime.router;
    const replacement = { directory: claim(join(folder, "b-2"), 2), trigger: "control" } as const;
    await manager.replace({ ...replacement, expectedGeneration: 1 });
    const second = runtime.router as ReturnType<typeof fixtureRouter>;
    const copy = claim(join(folder, "copy-2"), 2);
    const again = await manager.replace({ ...replacement, directory: copy, expectedGeneration: 2 });
    assert.equal([again.generation, again.previous === first, again.bundleId], [2, true, idOf(2)]);
    assert.is(manager.activeDirectory(), copy);
    assert.is(second.closed.count, 1);
    assert.is((await manager.rollback({ expectedGeneration: 2 })).router, first);
    const outcomes = telemetry.events.map((event) => {
      metrics.emit(event);
      return event.event === "sluice.replacement" ? [event.trigger, event.outcome] : event.event;
    });
    assert.equal(outcomes, [
      ["control", "done"],
      ["control", "same"],
      ["rollback", "done"],
    ]);
    assert.match(expositionText(metrics.families()), /_total\{trigger="control",outcome="same",error_code="none"\} 1/);
  }));

test("a claim that is too large to be one is passed over unread", () =>
  inTemporaryFolder(async (folder) => {
    const { watch, active, loads } = watched(folder, claim(join(folder, "r1"), 1));
    writeFileSync(
      join(claim(join(folder, "r3"), 3), "bundle.json"),
      `{"bundle_id":"${idOf(3)}"${" ".repeat(1_500_000)}}`,
    );
    claim(join(folder, "r2"), 2);
    await watch.look();
    assert.equal([active(), loads], [2, ["r2"]]);
  }));
