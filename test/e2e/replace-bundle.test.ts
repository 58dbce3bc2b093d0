import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Problem, SluiceClient } from "../../client/index.js";
import { loadBundle } from "../../serve/load-production-router.js";
import type { ControlOrder } from "../../serve/control/control-client.js";
import { sendControlOrder } from "../../serve/control/control-client.js";
import { type RunningServer, startLine } from "../../serve/start.js";
import type { StartDependencies } from "../../serve/start-dependencies.js";
import { assert, packageRoot, rejects, test } from "../support/test.js";
import { post, send } from "../serve/support/http.js";
import { testMachine } from "../serve/support/serve-options.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { testNow, testRevocations } from "../support/builders-artifacts.js";
import { inServedFolder, orderRequest, type ServedFolder } from "../support/served-bundles.js";

const answer = async (server: RunningServer, release: number) => {
  const { status, body } = await post(server.address, orderRequest(release));
  return [status, body["workflow_id"], body["catalog_version"]];
};
const routed = (release: number) => [200, "orders.status", `catalog-${release}`];

/** Replacements in the log, without times. */
const replacements = ({ lines }: ServedFolder) =>
  lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === "sluice.replacement")
    .map(({ trigger, error_code, generation }) => [trigger, error_code, generation]);

/** A server on release 1 with a control socket. */
async function controlled(served: ServedFolder, options = {}) {
  const control = join(served.folder, "control.sock");
  const server = await served.start({ bundle: await served.bundle(1), control, ...options });
  return { control, server, order: (order: ControlOrder) => sendControlOrder(control, order) };
}

test("the control socket is private to its owner, reports status, replaces and rolls back", () =>
  inServedFolder(async (served) => {
    const { control, server, order } = await controlled(served);
    assert.is(statSync(control).mode & 0o777, 0o600);
    const first = await order({ kind: "status" });
    assert.equal([first.generation, first.active.release, first.previous], [1, 1, null]);
    assert.is(first.active.approved_until, "2026-04-01T00:01:00.000Z");
    const bundle = await served.bundle(2);
    const second = await order({ kind: "replace", bundle, expectedGeneration: 1 });
    assert.equal([second.generation, second.active.release, second.previous?.release], [2, 2, 1]);
    assert.equal(await answer(server, 2), routed(2));
    const third = await order({ kind: "rollback", expectedGeneration: 2 });
    assert.equal([third.generation, third.active.release], [3, 1]);
    assert.equal(await answer(server, 1), routed(1));
    assert.equal(replacements(served), [
      ["control", null, 2],
      ["rollback", null, 3],
    ]);
    await server.shutdown.begin();
    await rejects(order({ kind: "status" }), "READ_FAILED");
  }));

test("the example for callers follows a catalog that is replaced, and gives up after its attempts", () =>
  inServedFolder(async (served) => {
    const example = (await import(pathToFileURL(join(packageRoot, "docs/examples/active-catalog.mjs")).href)) as {
      routeOnActiveCatalog: (client: SluiceClient, attempts?: number) => SluiceClient["route"];
    };
    const { server, order } = await controlled(served);
    const client = new SluiceClient({ baseUrl: server.address });
    const request = { text: "where is my order", allowed_workflow_ids: ["orders.status"] };
    const [route, once] = [example.routeOnActiveCatalog(client), example.routeOnActiveCatalog(client, 1)];
    for (const ask of [route, once]) assert.is((await ask(request)).catalog_version, "catalog-1");
    await order({ kind: "replace", bundle: await served.bundle(2), expectedGeneration: 1 });
    const answered = await route(request);
    assert.equal([answered.catalog_version, answered.workflow_id], ["catalog-2", "orders.status"]);
    const refused = await once(request).then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(refused instanceof Problem && refused.code === "CATALOG_VERSION_MISMATCH");
  }));

test("a refused order has its code, and the active bundle goes on", () =>
  inServedFolder(async (served) => {
    const { server, order } = await controlled(served);
    const bundle = await served.bundle(2);
    const stale = await rejects(order({ kind: "replace", bundle, expectedGeneration: 7 }), "GENERATION_STALE");
    assert.match(stale.hint ?? "", "sluice-serve control status");
    await rejects(order({ kind: "rollback", expectedGeneration: 1 }), "GENERATION_STALE");
    writeFileSync(join(bundle, "policy.json"), "{}");
    writeFileSync(join(bundle, "notes.txt"), "");
    const changed = await rejects(order({ kind: "replace", bundle, expectedGeneration: 1 }), "HASH_MISMATCH");
    assert.match(changed.message, "notes.txt");
    assert.not.match(changed.message, "did not start");
    const lonely = await served.bundle(3, { approvers: ["ana"] });
    await rejects(order({ kind: "replace", bundle: lonely, expectedGeneration: 1 }), "THRESHOLD_NOT_MET");
    const missing = join(served.folder, "nowhere");
    const error = await rejects(order({ kind: "replace", bundle: missing, expectedGeneration: 1 }), "FILE_NOT_FOUND");
    assert.match(error.message, /nowhere/);
    assert.equal(await answer(server, 1), routed(1));
    assert.is(replacements(served).length, 5);
  }));

test("a rollback to a bundle that a new list revokes is refused for that reason, however soon it is asked", () =>
  inServedFolder(async (served) => {
    const revocations = join(served.folder, "revocations.json");
    writeFileSync(revocations, await testRevocations([], { sequence: 3 }));
    const { server, order } = await controlled(served, { revocations });
    const { bundleId } = server.runtime.snapshot();
    await order({ kind: "replace", bundle: await served.bundle(2), expectedGeneration: 1 });
    const revoked = [{ kind: "bundle" as const, sha256: bundleId as Sha256 }];
    writeFileSync(`${revocations}.new`, await testRevocations(revoked, { sequence: 4 }));
    renameSync(`${revocations}.new`, revocations);
    const refused = await rejects(order({ kind: "rollback", expectedGeneration: 2 }), "BUNDLE_NOT_READY");
    assert.match(refused.message, "the revocation list refuses the bundle (REVOKED)");
    assert.equal(await answer(server, 2), routed(2));
  }));

test("case 42: with a state file neither a replacement, nor a rollback, nor a restart goes below the signed floor", () =>
  inServedFolder(async (served) => {
    const state = join(served.folder, "state.json");
    const { server, order } = await controlled(served, { state });
    const first = join(served.folder, "bundle-1");
    const bundle = await served.bundle(2, { manifest: { rollback_floor: 2 } });
    await order({ kind: "replace", bundle, expectedGeneration: 1 });
    await rejects(order({ kind: "rollback", expectedGeneration: 2 }), "ROLLBACK_BELOW_FLOOR");
    await rejects(order({ kind: "replace", bundle: first, expectedGeneration: 2 }), "ROLLBACK_BELOW_FLOOR");
    assert.equal(await answer(server, 2), routed(2));
    await server.shutdown.begin();
    await rejects(served.start({ bundle: first, state }), "ROLLBACK_BELOW_FLOOR");
  }));

test("a restart with the old bundle, after a replacement, says that the state file names a newer release", () =>
  inServedFolder(async (served) => {
    const state = join(served.folder, "state.json");
    const { server, order } = await controlled(served, { state });
    assert.not.match(startLine(server), "warning");
    const bundle = await served.bundle(2);
    await order({ kind: "replace", bundle, expectedGeneration: 1 });
    await server.shutdown.begin();
    const older = await served.start({ bundle: join(served.folder, "bundle-1"), state });
    assert.equal(await answer(older, 1), routed(1));
    assert.match(
      startLine(older),
      /\nwarning: release 1 serves, but the state file names release 2, which served here before\..*\n$/,
    );
    await older.shutdown.begin();
    assert.not.match(startLine(await served.start({ bundle, state })), "warning");
  }));

type Environments = Readonly<Record<string, { readonly release: number }>>;

/** What a state file says about the releases that served. */
const environmentsIn = (state: string): Environments =>
  (JSON.parse(readFileSync(state, "utf8")) as { readonly environments: Environments }).environments;

/** The release that a state file names. */
const releaseIn = (state: string): number | undefined => environmentsIn(state)["production"]?.release;

test("the state rises when a bundle serves; one that is refused, however late, records no release", () =>
  inServedFolder(async (served) => {
    const [state, control] = [join(served.folder, "state.json"), join(served.folder, "control.sock")];
    const afterLoading = new Map([["bundle-3", new Date(testNow.getTime() + 7_200_000)]]);
    const observed: StartDependencies["loadBundle"] = async (load) => {
      const loaded = await loadBundle(load);
      served.clock.now = afterLoading.get(load.bundle.split("/").at(-1) ?? "") ?? served.clock.now;
      return loaded;
    };
    await served.start({ bundle: await served.bundle(1), control, state }, { loadBundle: observed });
    const before = environmentsIn(state);
    assert.is(releaseIn(state), 1);

    const golden = (files: Map<string, Buffer>): void => {
      const bytes = files.get("golden.json")?.toString("utf8").replace("ACCEPTED_LOW_RISK", "NO_WORKFLOW");
      files.set("golden.json", Buffer.from(bytes ?? ""));
    };
    const wrong = await served.bundle(2, { files: golden });
    const order = (bundle: string) =>
      sendControlOrder(control, { kind: "replace", bundle, expectedGeneration: 1 } as const);
    await rejects(order(wrong), "WARMUP_FAILED");
    assert.equal(environmentsIn(state), before, "golden decisions differ");
    const ending = await served.bundle(3, { approval: { expires: "2026-03-01T13:00:00Z" } });
    await rejects(order(ending), "BUNDLE_NOT_READY");
    assert.equal(environmentsIn(state), before, "its approvals ended while it was loaded");

    await order(await served.bundle(4));
    assert.is(releaseIn(state), 4);
  }));

test("a start that cannot listen records no release, and a replacement whose state cannot be stored is refused", () =>
  inServedFolder(async (served) => {
    const kept = join(served.folder, "kept");
    mkdirSync(kept);
    const state = join(kept, "state.json");
    const { server } = await controlled(served);
    const port = Number(new URL(server.address).port);
    const bundle = await served.bundle(2);
    await rejects(served.start({ bundle, state, port }), "PORT_IN_USE");
    assert.is(releaseIn(state), undefined);

    const control = join(served.folder, "second.sock");
    const second = await served.start({ bundle: join(served.folder, "bundle-1"), state, control });
    rmSync(kept, { recursive: true });
    await rejects(sendControlOrder(control, { kind: "replace", bundle, expectedGeneration: 1 }), "WRITE_FAILED");
    assert.equal(await answer(second, 1), routed(1));
    assert.is((await sendControlOrder(control, { kind: "status" })).generation, 1);
  }));

test("too little memory for a second bundle is refused with both numbers, before anything is loaded", () =>
  inServedFolder(async (served) => {
    const control = join(served.folder, "control.sock");
    const machine = { ...testMachine, availableMemory: async () => 1_000_000 };
    await served.start({ bundle: await served.bundle(1), control }, { machine });
    const bundle = await served.bundle(2);
    const order = sendControlOrder(control, { kind: "replace", bundle, expectedGeneration: 1 });
    const error = await rejects(order, "MEMORY_LIMIT");
    assert.match(error.message, /requires about \d{6,} bytes of memory, but 1000000 are available/);
  }));

/** Leaves a socket behind that nobody listens on, as a killed process does. */
async function leaveSocket(path: string): Promise<void> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(path, resolve));
  renameSync(path, `${path}.kept`);
  await new Promise((resolve) => other.close(resolve));
  renameSync(`${path}.kept`, path);
}

test("a socket of a dead process is replaced, that of a living one and other files are not", () =>
  inServedFolder(async (served) => {
    const { control } = await controlled(served);
    const bundle = join(served.folder, "bundle-1");
    await rejects(served.start({ bundle, control }), "PORT_IN_USE");
    const dead = join(served.folder, "dead.sock");
    await leaveSocket(dead);
    const server = await served.start({ bundle, control: dead });
    assert.is((await sendControlOrder(dead, { kind: "status" })).generation, server.runtime.snapshot().generation);
    const file = join(served.folder, "file");
    writeFileSync(file, "kept");
    await rejects(served.start({ bundle, control: file }), "FILE_EXISTS");
  }));

/** Waits until a server answers from a release; ends by the time limit of the runner at the latest. */
async function untilRelease(server: RunningServer, release: number): Promise<void> {
  for (;;) {
    const { body } = await send(server.address, { path: "/health" });
    if (body["catalog_version"] === `catalog-${release}`) return;
    await server.reload();
  }
}

test("a watched folder: the highest approved release above the active one comes into service by itself", () =>
  inServedFolder(async (served) => {
    await served.bundle(1);
    const server = await served.start({ watch: served.folder });
    assert.equal(await answer(server, 1), routed(1));
    await served.bundle(3, { approvers: ["ana"] });
    await served.bundle(2);
    await untilRelease(server, 2);
    assert.equal(await answer(server, 2), routed(2));
    const refused = replacements(served).filter(([, code]) => code === "THRESHOLD_NOT_MET");
    assert.ok(refused.length >= 1, "the unapproved release 3 is reported");
    await served.bundle(3);
    await untilRelease(server, 3);
  }));

test("a folder whose newest bundle is broken starts with the one before", () =>
  inServedFolder(async (served) => {
    await served.bundle(1);
    writeFileSync(join(await served.bundle(2), "policy.json"), "{}");
    const server = await served.start({ watch: served.folder });
    assert.equal(await answer(server, 1), routed(1));
    assert.equal(replacements(served)[0], ["start", "HASH_MISMATCH", 0]);
  }));

test("a watched link or pointer file is followed wherever it leads", () =>
  inServedFolder(async (served) => {
    for (const kind of ["link", "pointer"] as const) {
      const path = join(served.folder, kind);
      const lead = (folder: string): void => {
        if (kind === "link") symlinkSync(folder, `${path}.new`);
        else writeFileSync(`${path}.new`, `${folder.split("/").at(-1) ?? ""}\n`);
        renameSync(`${path}.new`, path);
      };
      const [first, second] = [await served.bundle(1), await served.bundle(2)];
      lead(first);
      const server = await served.start({ watch: path });
      lead(second);
      await server.reload();
      assert.equal(await answer(server, 2), routed(2));
      lead(first);
      await server.reload();
      assert.equal(await answer(server, 1), routed(1));
      await server.shutdown.begin();
    }
  }));

test("a bundle that is swapped in leaves the folder of the old one free to go", () =>
  inServedFolder(async (served) => {
    const copies = join(served.folder, "bundles");
    cpSync(await served.bundle(1), join(copies, "a"), { recursive: true });
    const server = await served.start({ watch: copies });
    cpSync(await served.bundle(2), join(copies, ".b"), { recursive: true });
    await server.reload();
    assert.equal(await answer(server, 1), routed(1), "a hidden folder is still being written");
    renameSync(join(copies, ".b"), join(copies, "b"));
    await server.reload();
    renameSync(join(copies, "a"), join(served.folder, "gone"));
    assert.equal(await answer(server, 2), routed(2));
    assert.is((await send(server.address, { path: "/health/ready" })).status, 200);
  }));
