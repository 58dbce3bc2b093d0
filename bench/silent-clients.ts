/**
 * Attacks a real server with default limits by clients that open connections but never send a complete request.
 * Measures the latency of a normal client (target: 99% of responses within 50 ms) and the time until the descriptors
 * are free (target: within 15 s, although the clients never close their side).
 *
 *   node dist/bench/silent-clients.js [--sockets 2000] [--rate 50] [--descriptors N]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { post, send } from "../test/serve/support/http.js";
import { openManySilent, type SilentKind, silentKinds } from "../test/serve/support/silent-clients.js";
import { realServer } from "../test/support/real-server.js";
import { orderRequest } from "../test/support/served-bundles.js";

const { values } = parseArgs({
  options: {
    sockets: { type: "string", default: "2000" },
    rate: { type: "string", default: "50" },
    descriptors: { type: "string" },
    // Options of the attacking process.
    attack: { type: "string" },
    pid: { type: "string" },
    only: { type: "string" },
    kind: { type: "string" },
  },
});
const targetMs = 50;
const targetSeconds = 15;
const socketCount = Number(values.sockets);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const descriptors = (pid: string): number => readdirSync(`/proc/${pid}/fd`).length;

/** Results of the attacking process. */
interface Attacked {
  readonly before: number;
  readonly most: number;
  /** Seconds after the last socket was opened. */
  readonly freeAfter: number;
}

/**
 * Opens the sockets in 50 parallel lanes and leaves them open. Counts descriptors in this process, so that the normal
 * client is not delayed.
 */
async function attack(address: string, kind: SilentKind | undefined, pid: string): Promise<Attacked> {
  const before = descriptors(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, descriptors(pid))), 100);
  const lanes = Array.from({ length: 50 }, () => openManySilent(address, socketCount / 50, kind));
  await Promise.all(lanes);
  const since = performance.now();
  const seconds = (): number => (performance.now() - since) / 1000;
  // The normal client may have two open connections.
  while (descriptors(pid) > before + 2 && seconds() < 2 * targetSeconds) await pause(100);
  clearInterval(watch);
  return { before, most, freeAfter: seconds() };
}

interface Seen {
  readonly kept: readonly number[];
  readonly fresh: readonly number[];
  readonly failed: number;
}

/** A normal client: one request at fixed times, alternately over a persistent and a new connection. */
async function normalClient(address: string, until: Promise<unknown>): Promise<Seen> {
  const agent = new Agent({ keepAlive: true });
  const seen = { kept: [] as number[], fresh: [] as number[], failed: 0 };
  let ended = false;
  void until.then(() => (ended = true));
  const begin = performance.now();
  for (let n = 0; !ended; n += 1) {
    const due = begin + (n * 1000) / Number(values.rate);
    await pause(Math.max(0, due - performance.now()));
    const started = performance.now();
    const kept = n % 2 === 0;
    try {
      const answer = await send(address, { body: orderRequest(1), ...(kept ? { agent } : {}) });
      if (answer.body["decision"] !== "ROUTE") seen.failed += 1;
    } catch {
      seen.failed += 1;
    }
    (kept ? seen.kept : seen.fresh).push(performance.now() - started);
  }
  agent.destroy();
  return seen;
}

const quantile = (taken: readonly number[], share: number): number =>
  [...taken].sort((a, b) => a - b)[Math.ceil(share * taken.length) - 1] ?? Number.NaN;

interface Outcome extends Attacked {
  readonly p99: number;
  readonly failed: number;
}

/** Measures one attack, from the first socket until the descriptors are free. */
async function measure(address: string, pid: number | undefined, kind: SilentKind | undefined): Promise<Outcome> {
  const child = fork(import.meta.filename, [
    "--sockets",
    String(socketCount),
    "--attack",
    address,
    "--pid",
    String(pid),
    ...(kind === undefined ? [] : ["--kind", kind]),
  ]);
  const attacked = once(child, "message") as Promise<[Attacked]>;
  const seen = await normalClient(address, attacked);
  const [found] = await attacked;
  child.disconnect();
  const all = [...seen.kept, ...seen.fresh];
  const p99 = quantile(all, 0.99);
  const [half, slowest] = [quantile(all, 0.5), quantile(all, 1)];
  process.stdout.write(
    `${(kind ?? "all kinds").padEnd(12)} ${socketCount} sockets: ${all.length} answers, ${seen.failed} failed, ` +
      `median ${half.toFixed(1)} ms, 99% ${p99.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms; ` +
      `descriptors ${found.before}, at most ${found.most}, free again after ${found.freeAfter.toFixed(1)} s\n`,
  );
  return { ...found, p99, failed: seen.failed };
}

async function measureAll(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-silent-"));
  const limit = values.descriptors === undefined ? "" : `ulimit -n ${Number(values.descriptors)}; `;
  const { child, address, end } = await realServer(folder, `${limit}exec "$@" > /dev/null`);
  try {
    for (let i = 0; i < 200; i += 1) await post(address, orderRequest(1));
    const outcomes: Outcome[] = [];
    const kinds = [...(Object.keys(silentKinds) as SilentKind[]), undefined];
    for (const kind of kinds.filter((one) => values.only === undefined || one === values.only)) {
      outcomes.push(await measure(address, child.pid, kind));
    }
    const met = outcomes.every(
      ({ p99, failed, freeAfter }) => p99 < targetMs && failed === 0 && freeAfter <= targetSeconds,
    );
    process.stdout.write(met ? "both targets are met\n" : "a target is not met\n");
    return met;
  } finally {
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.attack === undefined) {
  process.exitCode = (await measureAll()) ? 0 : 1;
} else {
  const ended = once(process, "disconnect");
  process.send?.(await attack(values.attack, values.kind as SilentKind | undefined, values.pid ?? "self"));
  await ended;
}
