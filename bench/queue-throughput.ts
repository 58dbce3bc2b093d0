/**
 * Measures evaluations over a queue on one machine: requests per second with 1, 2 and 4 workers relative to the ideal,
 * by wall-clock and by processor time, and the memory of Redis and of the coordinator. Each worker has one inference
 * thread.
 *
 *   npm run build && node dist/bench/queue-throughput.js [--models fast] [--records 20000] [--workers 1,2,4]
 *     [--shard-size 200] [--candidates 8]   (needs redis-server)
 *
 * With --models synthetic, workers answer with simulated records, which measures only queue and coordinator, for a
 * million records.
 */
import { textOf } from "../src/base/error.js";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { datasetBytes } from "../datasets/dataset-bytes.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { loadCatalog } from "../src/router/catalog/load.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Split } from "../src/documents/split.js";
import { packageRoot } from "../test/support/package-root.js";
import { killed, startWorker } from "../test/support/queue-chaos.js";
import { keyFileIn } from "../test/support/shard-key.js";
import { withRedis } from "../test/support/redis-server.js";
import { openWorkbench } from "../stages/open-workbench.js";
import { connect, queuePackages } from "../stages/score/queue/redis.js";
import { openQueueAddress } from "../store/project/queue-settings.js";
import { scoreRunOverQueue } from "../stages/score/queue/score-over-queue.js";
import { saveRecord, type Session, withHistory } from "../store/records/session.js";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "fast" },
    records: { type: "string", default: "20000" },
    workers: { type: "string", default: "1,2,4" },
    "shard-size": { type: "string", default: "200" },
    candidates: { type: "string", default: "8" },
  },
});
const records = Number(values.records);
const shards = Math.ceil(records / Number(values["shard-size"]));
const synthetic = values.models === "synthetic";
const models = synthetic ? "fast" : values.models;
const syntheticWorker = join(import.meta.dirname, "queue-synthetic-worker.js");
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(0)}%`;
const shipped = join(packageRoot, "datasets", "service-desk");

/** The shipped in-scope requests, repeated, each with a unique id. */
function manyRows(): readonly LabelledRequest[] {
  const inScope = readJsonl(readFileSync(join(shipped, "requests.jsonl")), "requests").filter(
    ({ workflow_id: workflowId }) => workflowId !== null,
  );
  return Array.from({ length: records }, (_, i) => {
    const row = inScope[i % inScope.length] ?? inScope[0];
    if (row === undefined) throw new Error("the shipped dataset has no request in scope");
    return { ...row, id: `row-${i}` };
  });
}

async function keepInputs(session: Session): Promise<void> {
  const { catalog, bytes } = await loadCatalog(join(shipped, "catalog.yaml"));
  const dataset = datasetBytes(manyRows());
  saveRecord(session, "catalog", bytes);
  saveRecord(session, "dataset", dataset);
  const none = { clusters: [], requests: 0, workflows: 0, out_of_scope: 0 };
  const clusters = catalog.workflows.map(({ workflow_id: workflowId }) => `workflow:${workflowId}`).sort();
  const split: Split = {
    schema_version: 1,
    dataset_sha256: sha256Hex(dataset),
    catalog_sha256: catalog.sha256,
    seed: 1,
    disjoint_by: "workflow",
    fractions: { fit: 0, tune: 0, certify: 0, eval: 1 },
    folds: { fit: none, tune: none, certify: none, eval: { ...none, clusters, requests: records } },
    families: [],
    near_copies: [],
  };
  saveRecord(session, "split", canonicalBytes(split));
}

/** Total processor time of a process and its threads, in milliseconds; Linux only. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Time at which a worker finished a shard, and the total processor time of all workers by then. */
interface ShardEnd {
  readonly worker: number;
  readonly ms: number;
  readonly cpuMs: number;
}

/** Requests per second and processor time per request, counted from the time when every worker has finished a shard. */
function speedOf(finished: readonly ShardEnd[], workers: number): { readonly rate: number; readonly each: number } {
  const firsts = Array.from({ length: workers }, (_, worker) => finished.findIndex((end) => end.worker === worker));
  const begun = Math.max(...firsts);
  const [from, to] = [finished[begun], finished.at(-1)];
  if (firsts.includes(-1) || from === undefined || to === undefined) return { rate: Number.NaN, each: Number.NaN };
  const requests = (records / shards) * (finished.length - 1 - begun);
  return { rate: (1000 * requests) / (to.ms - from.ms), each: (to.cpuMs - from.cpuMs) / requests };
}

async function runWith(folder: string, workers: number) {
  return withRedis(folder, async (redis) => {
    const inputs = join(folder, "inputs");
    const key = keyFileIn(folder);
    const address = await openQueueAddress({ url: redis.url });
    const client = await connect(await queuePackages(), address);
    let residentBytes = 0;
    const finished: ShardEnd[] = [];
    const started = performance.now();
    const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
    const cpuMs = (): number => alive.reduce((sum, { pid }) => sum + processorMs(pid ?? 0), 0);
    const progress = {
      start: () => undefined,
      update: () => {
        residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
      },
      done: () => print(`scored after ${seconds()} s; coordinator ${mib(residentBytes)}`),
    };
    const alive = Array.from({ length: workers }, (_, i) =>
      synthetic
        ? spawn(process.execPath, [syntheticWorker, redis.url, key, String(records), values.candidates], {
            stdio: ["ignore", "pipe", "inherit"],
          })
        : startWorker({ url: redis.url, inputs, key }, join(folder, `worker-${i}`), 30_000),
    );
    for (const [worker, { stdout }] of alive.entries()) {
      stdout?.setEncoding("utf8").on("data", (text: string) => {
        const lines = text.split("\n").length - 1;
        for (let line = 0; line < lines; line += 1) finished.push({ worker, ms: performance.now(), cpuMs: cpuMs() });
      });
    }
    const workbench = await openWorkbench({ folder: join(folder, "workspace"), progress });
    try {
      const { run: runId } = await withHistory(workbench, "write", async (session) => {
        await keepInputs(session);
        return scoreRunOverQueue(session, {
          settings: { url: redis.url, inputs, key },
          shards,
          retriever: { kind: "file", path: join(packageRoot, "models", models, "retriever") },
          verifier: { kind: "file", path: join(packageRoot, "models", models, "verifier") },
          maxErrorShare: 0,
          onNote: (line) => print(textOf(line)),
        });
      });
      print(`merged and kept after ${seconds()} s`);
      const memory = await client.info("memory");
      const redisBytes = Number(/used_memory_peak:(\d+)/.exec(memory)?.[1]);
      return { runId, ...speedOf(finished, workers), redisBytes, residentBytes };
    } finally {
      client.disconnect();
      await Promise.all(alive.map((child) => killed(child, "SIGINT")));
    }
  });
}

const folder = mkdtempSync(join(tmpdir(), "sluice-queue-"));
try {
  let single = { rate: Number.NaN, each: Number.NaN };
  for (const workers of values.workers.split(",").map(Number)) {
    const own = join(folder, String(workers));
    mkdirSync(own);
    const { runId, rate, each, redisBytes, residentBytes } = await runWith(own, workers);
    if (workers === 1) single = { rate, each };
    const share = Number.isNaN(single.rate)
      ? ""
      : `, ${percent(rate, single.rate * workers)} of the ideal by the clock, ${percent(single.each, each)} by processor time`;
    print(
      `models/${values.models}, ${records} records in ${shards} shards, ${workers} workers: ${rate.toFixed(0)} a second, ${each.toFixed(2)} ms of processor time each${share}; ` +
        `Redis at most ${mib(redisBytes)}, coordinator ` +
        `${mib(residentBytes)} while scoring, ${mib(1024 * process.resourceUsage().maxRSS)} at most; run ${runId.slice(0, 12)}`,
    );
    rmSync(own, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
