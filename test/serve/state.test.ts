/** What a server has seen holds over its end: the latest time and the highest revocation list. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Sha256 } from "../../src/base/sha256.js";
import { join } from "node:path";
import { assert, rejects, test } from "../support/test.js";
import { testNow, testRevocations } from "../support/builders-artifacts.js";
import { inServedFolder, orderRequest, type ServedFolder } from "../support/served-bundles.js";
import { post, send } from "./support/http.js";

const days = (count: number): Date => new Date(testNow.getTime() + count * 86_400_000);

interface State {
  readonly last_seen: string;
  readonly revocation_sequence: number;
  readonly environments: object;
}

const stateOf = (file: string): State => JSON.parse(readFileSync(file, "utf8")) as State;

/** Options of a server with a state file. */
async function withState(served: ServedFolder) {
  return { bundle: await served.bundle(1), state: join(served.folder, "state.json") };
}

test("a clock that was 40 days ahead at a refused start does not bring expired approvals back", () =>
  inServedFolder(async (served) => {
    const options = await withState(served);
    await (await served.start(options)).shutdown.begin();
    served.clock.now = days(40);
    await rejects(served.start(options), "EXPIRED");
    assert.is(stateOf(options.state).last_seen, days(40).toISOString().replace(".000Z", "Z"));
    served.clock.now = testNow;
    await rejects(served.start(options), "CLOCK_ROLLBACK");
    assert.is(stateOf(options.state).last_seen, days(40).toISOString().replace(".000Z", "Z"), "never lowered");
  }));

test("a refused start records the time where there was no state", () =>
  inServedFolder(async (served) => {
    const options = await withState(served);
    served.clock.now = days(40);
    await rejects(served.start(options), "EXPIRED");
    assert.equal(stateOf(options.state).environments, {}, "no release is recorded");
    served.clock.now = testNow;
    await rejects(served.start(options), "CLOCK_ROLLBACK");
  }));

test("approvals that expired while a server ran stay expired when its clock is moved back, and after it exits", () =>
  inServedFolder(async (served) => {
    const options = await withState(served);
    const server = await served.start(options);
    const ready = async (): Promise<number> => (await send(server.address, { path: "/health/ready" })).status;
    assert.is(await ready(), 200);
    served.clock.now = days(40);
    assert.is(await ready(), 503);
    served.clock.now = testNow;
    assert.is(await ready(), 503);
    const { body } = await post(server.address, orderRequest(1));
    assert.equal([body["decision"], body["reason_code"]], ["LLM_REQUIRED", "RUNTIME_INTEGRITY_FAILURE"]);
    await server.shutdown.begin();
    await rejects(served.start(options), "CLOCK_ROLLBACK");
  }));

test("a rollback does not restore a bundle whose approvals expired at a recorded time", () =>
  inServedFolder(async (served) => {
    const control = join(served.folder, "s");
    const server = await served.start({ bundle: await served.bundle(1), watch: served.folder, control });
    await served.bundle(2, { approval: { expires: "2026-05-20T00:00:00Z" } });
    await server.reload();
    assert.is(server.runtime.snapshot().lineage.catalog_version, "catalog-2");
    served.clock.now = days(40);
    assert.is((await send(server.address, { path: "/health/ready" })).status, 200);
    served.clock.now = testNow;
    assert.is((await send(server.address, { path: "/health/ready" })).status, 200);
    const { previous } = server.runtime.snapshot();
    assert.match(previous?.integrityProblems()[0] ?? "", /expired/);
  }));

interface Listed extends Awaited<ReturnType<typeof withState>> {
  readonly revocations: string;
  readonly place: (sequence: number, bundleId?: string) => Promise<void>;
}

async function withList(served: ServedFolder): Promise<Listed> {
  const revocations = join(served.folder, "revocations.json");
  return {
    ...(await withState(served)),
    revocations,
    async place(sequence, bundleId) {
      const revoked = bundleId === undefined ? [] : [{ kind: "bundle" as const, sha256: bundleId as Sha256 }];
      writeFileSync(`${revocations}.new`, await testRevocations(revoked, { sequence }));
      renameSync(`${revocations}.new`, revocations);
    },
  };
}

test("a list that a running server has read is remembered: an older one, or none, does not start afterwards", () =>
  inServedFolder(async (served) => {
    const { place, ...options } = await withList(served);
    await place(3);
    const server = await served.start(options);
    await place(5);
    for (let status = 0; status !== 200; ) status = (await send(server.address, { path: "/health/ready" })).status;
    await server.shutdown.begin();
    assert.is(stateOf(options.state).revocation_sequence, 5);
    await place(4);
    const older = await rejects(served.start(options), "VERSION_ROLLBACK");
    assert.match(older.message, /found revocation list 4, expected list 5 or later/);
    rmSync(options.revocations);
    const none = await rejects(served.start({ bundle: options.bundle, state: options.state }), "VERSION_ROLLBACK");
    assert.match(none.message, /found no revocation list, expected list 5 or later/);
    assert.is(stateOf(options.state).revocation_sequence, 5);
  }));

test("a list next to the trust policy counts although no option names it", () =>
  inServedFolder(async (served) => {
    const { place, bundle, state } = await withList(served);
    await place(3);
    const server = await served.start({ bundle, state });
    const { bundleId } = server.runtime.snapshot();
    await place(4, bundleId ?? "");
    await server.shutdown.begin();
    await rejects(served.start({ bundle, state }), "REVOKED");
  }));

test("a list that refused a start is remembered, and an older one does not undo it", () =>
  inServedFolder(async (served) => {
    const { place, ...options } = await withList(served);
    await place(3);
    const server = await served.start(options);
    const { bundleId } = server.runtime.snapshot();
    await server.shutdown.begin();
    await place(4, bundleId ?? "");
    await rejects(served.start(options), "REVOKED");
    assert.is(stateOf(options.state).revocation_sequence, 4);
    await place(3);
    await rejects(served.start(options), "VERSION_ROLLBACK");
  }));

test("another list with the number of one that refused a start is a fork", () =>
  inServedFolder(async (served) => {
    const { place, ...options } = await withList(served);
    await place(3);
    const server = await served.start(options);
    const { bundleId } = server.runtime.snapshot();
    await server.shutdown.begin();
    await place(4, bundleId ?? "");
    await rejects(served.start(options), "REVOKED");
    await place(4);
    assert.match((await rejects(served.start(options), "REVOCATIONS_FORK")).message, /revocation list 4/);
  }));

test("a list without a valid signature is not remembered", () =>
  inServedFolder(async (served) => {
    const options = await withState(served);
    const revocations = join(served.folder, "revocations.json");
    writeFileSync(revocations, await testRevocations([], { sequence: 9 }, "stranger"));
    await rejects(served.start({ ...options, revocations }), "SIGNATURE_INVALID");
    assert.is(stateOf(options.state).revocation_sequence, 0);
  }));
