/**
 * Evaluations over a queue on one machine: requests a second with 1, 2 and 4 workers as a share of the ideal, milliseconds
 * for each shard, and the memory of Redis and of the coordinator. Workers have one inference thread each.
 *
 *   npx tsc -b bench && node dist/bench/queue-throughput.js [--models fast] [--records 20000] [--workers 1,2,4]
 *     [--shard-size 200]   (needs redis-server)
 *
 * With --models synthetic, workers answer with simulated records: queue and coordinator alone, for a million records.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { datasetBytes } from "../datasets/dataset-bytes.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { loadCatalog } from "../src/catalog/load.js";
import { canonicalBytes } from "../src/digest/canonical-json.js";
import { sha256Hex } from "../src/digest/sha256.js";
import type { LabelledRequest } from "../src/domain/dataset.js";
import type { SplitWire } from "../src/domain/split.js";
import { packageRoot } from "../test/support/package-root.js";
import { killed, startWorker } from "../test/support/queue-chaos.js";
import { withRedis } from "../test/support/redis-server.js";
import { openWorkbench } from "../workbench/open-workbench.js";
import { connect, queuePackages } from "../workbench/queue/redis.js";
import { openQueueAddress } from "../workbench/queue/queue-settings.js";
import { scoreRunOverQueue } from "../workbench/queue/run-over-queue.js";
import { keepRecord, type Stage } from "../workbench/records/stage.js";
import { withHistory } from "../workbench/records/with-history.js";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "fast" },
    records: { type: "string", default: "20000" },
    workers: { type: "string", default: "1,2,4" },
    "shard-size": { type: "string", default: "200" },
  },
});
const records = Number(values.records);
const shards = Math.ceil(records / Number(values["shard-size"]));
const synthetic = values.models === "synthetic";
const models = synthetic ? "fast" : values.models;
const syntheticWorker = join(import.meta.dirname, "queue-synthetic-worker.js");
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
const shipped = join(packageRoot, "datasets", "service-desk");

/** The shipped requests in scope, over and over, each with an id of its own. */
function manyRows(): readonly LabelledRequest[] {
  const inScope = readJsonl(readFileSync(join(shipped, "requests.jsonl")), "requests").filter(
    ({ workflowId }) => workflowId !== null,
  );
  return Array.from({ length: records }, (_, i) => {
    const row = inScope[i % inScope.length] ?? inScope[0];
    if (row === undefined) throw new Error("the shipped dataset has no request in scope");
    return { ...row, id: `row-${i}` };
  });
}

async function keepInputs(stage: Stage): Promise<void> {
  const { catalog, bytes } = await loadCatalog(join(shipped, "catalog.yaml"));
  const dataset = datasetBytes(manyRows());
  keepRecord(stage, "catalog", bytes);
  keepRecord(stage, "dataset", dataset);
  const none = { clusters: [], requests: 0, workflows: 0, out_of_scope: 0 };
  const clusters = catalog.workflows.map(({ workflowId }) => `workflow:${workflowId}`).sort();
  const split: SplitWire = {
    schema_version: 1,
    dataset_sha256: sha256Hex(dataset),
    catalog_sha256: catalog.sha256,
    seed: 1,
    disjoint_by: "workflow",
    fractions: { fit: 0, tune: 0, certify: 0, eval: 1 },
    folds: { fit: none, tune: none, certify: none, eval: { ...none, clusters, requests: records } },
    families: [],
  };
  keepRecord(stage, "split", canonicalBytes(split));
}

/** Requests a second between the first tenth, when every worker has its models, and the end. */
async function runWith(folder: string, workers: number) {
  return withRedis(folder, async (redis) => {
    const inputs = join(folder, "inputs");
    const address = await openQueueAddress({ url: redis.url });
    const client = await connect(await queuePackages(), address);
    let [begunAt, begunMs, endedMs, residentBytes] = [0, 0, 0, 0];
    const progress = {
      start: () => undefined,
      update: (finished: number) => {
        if (begunMs === 0 && finished >= records / 10) [begunAt, begunMs] = [finished, performance.now()];
        if (finished >= records && endedMs === 0) endedMs = performance.now();
        residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
      },
      done: () => undefined,
    };
    const alive = Array.from({ length: workers }, (_, i) =>
      synthetic
        ? spawn(process.execPath, [syntheticWorker, redis.url, String(records)], { stdio: "inherit" })
        : startWorker(redis.url, join(folder, `worker-${i}`), inputs, 30_000),
    );
    const workbench = await openWorkbench({ folder: join(folder, "workspace"), progress });
    try {
      const { runId } = await withHistory(workbench, "write", async (stage) => {
        await keepInputs(stage);
        return scoreRunOverQueue(stage, {
          settings: { url: redis.url, inputs },
          shards,
          retriever: { kind: "file", path: join(packageRoot, "models", models, "retriever") },
          verifier: { kind: "file", path: join(packageRoot, "models", models, "verifier") },
          maxErrorShare: 0,
          onNote: print,
        });
      });
      const memory = await client.info("memory");
      const redisBytes = Number(/used_memory_peak:(\d+)/.exec(memory)?.[1]);
      return { runId, rate: (1000 * (records - begunAt)) / (endedMs - begunMs), redisBytes, residentBytes };
    } finally {
      client.disconnect();
      await Promise.all(alive.map((child) => killed(child, "SIGINT")));
    }
  });
}

const folder = mkdtempSync(join(tmpdir(), "sluice-queue-"));
try {
  let single = Number.NaN;
  for (const workers of values.workers.split(",").map(Number)) {
    const own = join(folder, String(workers));
    mkdirSync(own);
    const { runId, rate, redisBytes, residentBytes } = await runWith(own, workers);
    if (workers === 1) single = rate;
    const share = Number.isNaN(single) ? "" : `, ${((100 * rate) / (single * workers)).toFixed(0)} % of the ideal`;
    print(
      `models/${values.models}, ${records} records in ${shards} shards, ${workers} workers: ${rate.toFixed(0)} a second${share}; ` +
        `Redis at most ${mib(redisBytes)}, coordinator ` +
        `${mib(residentBytes)} while scoring, ${mib(1024 * process.resourceUsage().maxRSS)} at most; run ${runId.slice(0, 12)}`,
    );
    rmSync(own, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
