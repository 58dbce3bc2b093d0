/**
 * Checks that a saturated server neither loses nor mixes up responses while its bundle is swapped every few seconds and
 * inference threads occasionally fail. Many connections request routes continuously over real sockets; each swap uses
 * the control socket and includes verification, loading and warm-up. Counts failed responses and responses from the
 * wrong bundle. A request for a catalog that has just been replaced gets status 409, as specified, and is counted
 * separately. With --cancelled, further clients end their connections before the answer, half of them on /mcp; what
 * such calls still hold at the end shows in the memory after a collection.
 *
 *   node --expose-gc dist/bench/hot-swap-load.js [--seconds 60] [--connections 32] [--swap-every 3] [--fail-every 5] [--cancelled 0]
 */
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Worker } from "node:worker_threads";
import { type Answer, send } from "../test/serve/support/http.js";
import { breakThread } from "../test/support/pools.js";
import { inServedFolder } from "../test/support/served-bundles.js";
import { type ControlOrder, sendControlOrder } from "../serve/control/control-client.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    connections: { type: "string", default: "32" },
    "swap-every": { type: "string", default: "3" },
    "fail-every": { type: "string", default: "5" },
    cancelled: { type: "string", default: "0" },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

interface Counts {
  answers: number;
  failed: number;
  mixed: number;
  conflicts: number;
  declined: number;
  swaps: number;
  refusedSwaps: number;
  failures: number;
  cancelled: number;
}

const counts: Counts = {
  answers: 0,
  failed: 0,
  mixed: 0,
  conflicts: 0,
  declined: 0,
  swaps: 0,
  refusedSwaps: 0,
  failures: 0,
  cancelled: 0,
};
const latencies: number[] = [];
const releases = new Set<string>();

/** A request contains its catalog version, so a response with another version comes from the wrong bundle. */
function judge(answer: Answer, asked: string): void {
  counts.answers += 1;
  if (answer.status === 409) counts.conflicts += 1;
  else if (answer.status !== 200) counts.failed += 1;
  else {
    const version = String(answer.body["catalog_version"]);
    releases.add(version);
    if (version !== asked) counts.mixed += 1;
    if (answer.body["decision"] !== "ROUTE") counts.declined += 1;
  }
}

/** One connection, which uses the catalog version of the last response, as a caller would. */
async function caller(base: string, current: () => string, ended: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!ended()) {
    const asked = current();
    const body = { text: "where is my order", catalog_version: asked, allowed_workflow_ids: ["orders.status"] };
    const begin = performance.now();
    try {
      judge(await send(base, { body, agent }), asked);
    } catch {
      counts.failed += 1;
    }
    latencies.push(performance.now() - begin);
  }
  agent.destroy();
}

/** A client that ends each connection within the time of an answer, in turn on /v1/route and /mcp. */
async function hasty(base: string, current: () => string, ended: () => boolean): Promise<void> {
  const routed = () => ({
    text: "where is my order",
    catalog_version: current(),
    allowed_workflow_ids: ["orders.status"],
  });
  const query = { name: "find_tools", arguments: { query: "where is my order" } };
  const asked = { jsonrpc: "2.0", id: 1, method: "tools/call", params: query };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  for (let at = 0; !ended(); at += 1) {
    const mcp = at % 2 === 1;
    const outgoing = request(`${base}${mcp ? "/mcp" : "/v1/route"}`, { method: "POST", headers });
    outgoing.on("error", () => undefined);
    outgoing.end(JSON.stringify(mcp ? asked : routed()));
    await pause(at % 7);
    outgoing.destroy();
    counts.cancelled += 1;
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

const threads = new Set<Worker>();
process.on("worker", (thread: Worker) => {
  threads.add(thread);
  thread.once("exit", () => threads.delete(thread));
});

await inServedFolder(async (served) => {
  const control = join(served.folder, "control.sock");
  const open = { manifest: { rollback_floor: 1 } };
  const folders = [await served.bundle(1), await served.bundle(2, open), await served.bundle(3, open)];
  const server = await served.start({ bundle: folders[0] ?? "", control, workers: 2, log: "none", mcp: true });
  const order = (what: ControlOrder) => sendControlOrder(control, what);
  const end = performance.now() + seconds * 1000;
  const ended = (): boolean => performance.now() >= end;
  const current = (): string => server.runtime.router.lineage.catalog_version;

  const swaps = (async () => {
    for (let round = 1; !ended(); round += 1) {
      await pause(Number(values["swap-every"]) * 1000);
      const { generation } = await order({ kind: "status" });
      const what: ControlOrder =
        round % 4 === 0
          ? { kind: "rollback", expectedGeneration: generation }
          : { kind: "replace", bundle: folders[round % 3] ?? "", expectedGeneration: generation };
      await order(what).then(
        () => (counts.swaps += 1),
        () => (counts.refusedSwaps += 1),
      );
    }
  })();
  const failures = (async () => {
    while (!ended()) {
      await pause(Number(values["fail-every"]) * 1000);
      breakThread([...threads].at(-1));
      counts.failures += 1;
    }
  })();
  const memory: number[] = [];
  const sampler = setInterval(() => memory.push(process.memoryUsage().rss), 500);
  await Promise.all([
    ...Array.from({ length: connections }, () => caller(server.address, current, ended)),
    ...Array.from({ length: Number(values.cancelled) }, () => hasty(server.address, current, ended)),
    swaps,
    failures,
  ]);
  clearInterval(sampler);
  await pause(2000);
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();

  const sorted = latencies.toSorted((a, b) => a - b);
  const megabytes = memory.map((bytes) => bytes / 1024 ** 2);
  const report = {
    ...counts,
    bundles: [...releases].sort(),
    requestsPerSecond: Math.round(counts.answers / seconds),
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    maxMs: sorted.at(-1),
    rssStartMb: Math.round(megabytes[0] ?? 0),
    rssMaxMb: Math.round(Math.max(...megabytes)),
    rssEndMb: Math.round(megabytes.at(-1) ?? 0),
    heapEndMb: Math.round(heapUsed / 1024 ** 2),
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = counts.failed + counts.mixed === 0 && releases.size > 1 && counts.swaps > 0 ? 0 : 1;
});
