import { cpSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningServer } from "../../serve/start.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { post, send } from "../serve/support/http.js";
import { testMachine } from "../serve/support/serve-options.js";
import { parseExposition, sampleValue } from "../serve/support/parse-exposition.js";
import { testNow, testRevocations } from "../support/builders-artifacts.js";
import { realServer, today } from "../support/real-server.js";
import { writeServableBundle } from "../support/servable-bundle.js";
import { inServedFolder, orderRequest } from "../support/served-bundles.js";
import { sha256Hex } from "../../src/base/sha256.js";

interface State {
  readonly ready: number;
  readonly live: number;
  readonly decision: unknown;
  readonly reason: unknown;
}

async function stateOf(address: string, release = 1): Promise<State> {
  const [ready, live, route] = await Promise.all([
    send(address, { path: "/health/ready" }),
    send(address, { path: "/health/live" }),
    post(address, orderRequest(release)),
  ]);
  return {
    ready: ready.status,
    live: live.status,
    decision: route.body["decision"],
    reason: route.body["reason_code"],
  };
}

const serving: State = { ready: 200, live: 200, decision: "ROUTE", reason: "ACCEPTED_LOW_RISK" };
const stopped: State = { ready: 503, live: 200, decision: "LLM_REQUIRED", reason: "RUNTIME_INTEGRITY_FAILURE" };

/** Asks until a server is in a state. @returns milliseconds that it took */
async function untilState(server: RunningServer, wanted: State): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const state = await stateOf(server.address);
    if (JSON.stringify(state) === JSON.stringify(wanted)) return performance.now() - begin;
    if (performance.now() - begin > 10_000) assert.equal(state, wanted);
  }
}

test("a bundle file is changed: not ready and declining at once; restored: ready again by itself", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const server = await served.start({ bundle });
    assert.equal(await stateOf(server.address), serving);
    for (const path of ["policy.json", "models/verifier/model.onnx"]) {
      const file = join(bundle, path);
      const bytes = readFileSync(file);
      writeFileSync(file, Buffer.concat([bytes, Buffer.from("x")]));
      assert.equal(await stateOf(server.address), stopped);
      writeFileSync(file, bytes);
      await untilState(server, serving);
    }
    rmSync(join(bundle, "golden.json"));
    assert.equal(await stateOf(server.address), stopped);
  }));

test("approvals end while the server runs: it declines; new approvals in the folder bring it back", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const server = await served.start({ bundle });
    served.clock.now = new Date("2026-04-01T00:01:00Z");
    // The wall clock jumped forward with nothing to show for it on the monotonic one: end dates count all the same.
    assert.equal(await stateOf(server.address), stopped);
    await served.bundle(1, { approval: { not_before: "2026-03-20T00:00:00Z", expires: "2026-05-01T00:00:00Z" } });
    await untilState(server, serving);
    served.clock.now = new Date("2026-05-01T00:01:00Z");
    assert.equal(await stateOf(server.address), stopped);
  }));

test("a bundle revoked while the server runs stops at the next request, and another bundle restores service", () =>
  inServedFolder(async (served) => {
    const [revocations, bundle] = [join(served.folder, "revocations.json"), await served.bundle(1)];
    writeFileSync(revocations, await testRevocations([]));
    const server = await served.start({ watch: served.folder, revocations });
    const { bundleId } = server.runtime.snapshot();
    const list = await testRevocations([{ kind: "bundle", sha256: bundleId ?? sha256Hex("") }], { sequence: 2 });
    writeFileSync(`${revocations}.new`, list);
    renameSync(`${revocations}.new`, revocations);
    assert.equal(await stateOf(server.address), stopped);
    cpSync(bundle, join(served.folder, "copy"), { recursive: true });
    await server.reload();
    assert.equal(await stateOf(server.address), stopped, "a copy of it is revoked as well");
    await served.bundle(2);
    await server.reload();
    assert.equal(await stateOf(server.address, 2), serving);
    assert.is(server.runtime.snapshot().previous?.bundleId, bundleId);
    assert.throws(() => server.runtime.rollback({ expectedGeneration: 1 }), /active generation 2/);
  }));

test("the clock is moved back while the server runs: it declines until the clock is right again", () =>
  inServedFolder(async (served) => {
    const server = await served.start({ bundle: await served.bundle(1) });
    served.clock.now = new Date(testNow.getTime() - 61_000 - 60_000);
    assert.equal(await stateOf(server.address), stopped);
    const problems = server.runtime.router.integrityProblems();
    assert.match(problems[0] ?? "", /clock was set back/);
    served.clock.now = testNow;
    await untilState(server, serving);
  }));

test("a log that throws does not block responses", () =>
  inServedFolder(async (served) => {
    const writeLog = (): void => {
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    };
    const server = await served.start({ bundle: await served.bundle(1) }, { writeLog, machine: testMachine });
    assert.equal(await stateOf(server.address), serving);
  }));

const scrape = async (metrics: string) => parseExposition(await (await fetch(`${metrics}/metrics`)).text());

test("a real process whose log is a full disk serves, reloads at SIGHUP and ends with 0", () =>
  inTemporaryFolder(async (folder) => {
    const { child, address, metrics, end } = await realServer(folder, 'exec "$@" > /dev/full');
    try {
      for (let i = 0; i < 20; i += 1) assert.equal(await stateOf(address), serving);
      assert.is(sampleValue(await scrape(metrics), "sluice_bundle_ready"), 1);
      const routed = sampleValue(await scrape(metrics), "sluice_decisions_total", { reason_code: "ACCEPTED_LOW_RISK" });
      assert.is(routed, 20);
      const { approval } = today();
      await writeServableBundle(join(folder, "next"), "catalog-2", { approval, manifest: { release: 2 } });
      child.kill("SIGHUP");
      while (sampleValue(await scrape(metrics), "sluice_generation") !== 2) continue;
      assert.equal(await stateOf(address, 2), serving);
    } finally {
      assert.is(await end(), 0);
    }
  }));

test("when the log has room again its lines go on by themselves, none lost, none cut, in their order", () =>
  inTemporaryFolder(async (folder) => {
    // 32 blocks of 512 bytes: a file that cannot grow any more is what a full disk is to the process.
    const { address, metrics, end } = await realServer(folder, 'ulimit -f 32; exec "$@" >> "$log"');
    const log = join(folder, "log");
    const ids = Array.from({ length: 30 }, (_, i) => `request-${i}`);
    const logged: string[] = [];
    try {
      for (const id of ids) {
        const { body } = await post(address, { ...orderRequest(1), request_id: id });
        assert.is(body["decision"], "ROUTE");
      }
      assert.is(statSync(log).size, 32 * 512, "the log is full");
      while (logged.join("").match(/sluice\.decision/gu)?.length !== ids.length) {
        logged.push(readFileSync(log, "utf8"));
        truncateSync(log);
        // The next attempt is a second later; until then a request is answered as before.
        while (statSync(log).size === 0) assert.is((await send(address, { path: "/health/ready" })).status, 200);
      }
      assert.is(sampleValue(await scrape(metrics), "sluice_log_lines_lost_total"), 0);
    } finally {
      assert.is(await end(), 0);
    }
    const lines = logged
      .join("")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const decided = lines.filter(({ event }) => event === "sluice.decision").map(({ request_id }) => request_id);
    assert.equal(decided, ids);
  }));
