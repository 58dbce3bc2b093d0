/**
 * Time of the router compared with the ONNX Runtime runs that it cannot avoid, in one run: latency with 1, 8 and 32
 * requests at once, throughput with 1, 8 and 64, and the delay of the event loop meanwhile. One inference thread.
 * usage: npx tsc -b tsconfig.build.json && node dist/bench/routing-engine.js [--json]   (needs ../shared; two minutes)
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { RouteRequest } from "../src/domain/request.js";
import { TextTokenizer } from "../src/inference/tokenizer/text-tokenizer.js";
import { loadModels } from "../src/routing/load-models.js";
import { BundleRouter } from "../src/routing/router.js";
import { contractText } from "../src/serializer/contract-text.js";
import { anAcceptingCalibration, aPolicy, aRouteRequest } from "../test/support/builders.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../test/support/service-desk.js";
import { geometryModels } from "./engine/checkpoints.js";
import { type FloorRequest, joinedRuns, RawModels, separateRuns } from "./engine/floor.js";

const rounds = 7;
const requestsInRound = 64;
const now = (): number => performance.now();

const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
const median = (values: readonly number[]): number => quantile(values, 0.5);
async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = now();
  await work();
  return now() - started;
}

const catalog = await serviceDeskCatalog();
const sources = geometryModels("alone");
const models = await loadModels(catalog, sources, { workers: 1, queueLimit: 4096 });
const router = new BundleRouter({
  catalog,
  calibration: anAcceptingCalibration(),
  policy: aPolicy({ deadlineMs: 60_000 }),
  models,
  runtimeMode: "development",
  bundleId: null,
  integrityProblems: () => [],
  now,
});
const raw = await RawModels.open(sources.retrieverFiles, sources.verifierFiles);
const tokenizer = new TextTokenizer(sources.retrieverFiles.get("tokenizer.json") ?? new Uint8Array());

const contracts = new Map(catalog.workflows.map((w) => [w.workflowId, contractText(w).text]));
const texts = serviceDeskRequests()
  .filter((_, index) => index % 71 === 0)
  .slice(0, requestsInRound)
  .map(({ text }) => text);
const requestOf = (text: string): RouteRequest => aRouteRequest({ text, catalogVersion: catalog.catalogVersion });

/** The pairs that the router scores for a text. */
async function floorRequest(text: string): Promise<FloorRequest> {
  const { candidates } = await router.route({ ...requestOf(text), debug: true });
  return { text, documents: (candidates ?? []).map(({ workflowId }) => contracts.get(workflowId) ?? "") };
}

const floorRequests: FloorRequest[] = [];
for (const text of texts) floorRequests.push(await floorRequest(text));

/** Routes every text with `concurrency` requests in flight. */
async function routeAll(concurrency: number): Promise<void> {
  const queue = texts.values();
  const client = async (): Promise<void> => {
    for (const text of queue) await router.route(requestOf(text));
  };
  await Promise.all(Array.from({ length: concurrency }, client));
}

interface LatencyRow {
  readonly at_once: number;
  readonly floor_ms: number;
  readonly router_ms: number;
  readonly overhead_ms: number;
  readonly ratio: number;
}

/**
 * Time until all of `size` requests that begin together are answered, compared with their runs one after the other. Each pair
 * of measurements is taken back to back; the overhead is the median of their differences.
 */
async function latency(size: number): Promise<LatencyRow> {
  const floors: number[] = [];
  const routers: number[] = [];
  for (let start = 0; start + size <= floorRequests.length; start += size) {
    const group = floorRequests.slice(start, start + size);
    const runs = separateRuns(group, tokenizer);
    for (let repeat = 0; repeat < Math.max(3, 6 / size); repeat += 1) {
      floors.push(await raw.run(runs));
      routers.push(await timed(() => Promise.all(group.map(({ text }) => router.route(requestOf(text))))));
    }
  }
  const differences = routers.map((router, index) => router - (floors[index] ?? Number.NaN));
  const ratios = routers.map((router, index) => router / (floors[index] ?? Number.NaN));
  return {
    at_once: size,
    floor_ms: median(floors),
    router_ms: median(routers),
    overhead_ms: median(differences),
    ratio: median(ratios),
  };
}

interface ThroughputRow {
  readonly concurrent: number;
  readonly per_second: number;
  /** Compared with runs that combine the rows of all requests, and with runs of each request alone. */
  readonly of_joined_floor: number;
  readonly of_separate_floor: number;
  readonly event_loop_p99_ms: number;
}

const joined = joinedRuns(floorRequests, tokenizer);
const separate = separateRuns(floorRequests, tokenizer);

async function throughput(concurrent: number): Promise<ThroughputRow> {
  const ofJoined: number[] = [];
  const ofSeparate: number[] = [];
  const rates: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  for (let round = 0; round < rounds; round += 1) {
    const joinedMs = await raw.run(joined);
    delay.enable();
    const routerMs = await timed(() => routeAll(concurrent));
    delay.disable();
    const separateMs = await raw.run(separate);
    rates.push((1000 * texts.length) / routerMs);
    ofJoined.push(joinedMs / routerMs);
    ofSeparate.push(separateMs / routerMs);
  }
  return {
    concurrent,
    per_second: median(rates),
    of_joined_floor: median(ofJoined),
    of_separate_floor: median(ofSeparate),
    event_loop_p99_ms: delay.percentile(99) / 1e6,
  };
}

await raw.run(joined);
await routeAll(8);
const latencies = [await latency(1), await latency(8), await latency(32)];
const throughputs = [await throughput(1), await throughput(8), await throughput(64)];
await router.close();
await raw.close();

const print = (line: string): unknown => process.stdout.write(`${line}\n`);
const cell = (value: number, digits: number): string => value.toFixed(digits).padStart(10);
if (process.argv.includes("--json")) print(JSON.stringify({ latencies, throughputs }));
else {
  print("requests at once  floor ms  router ms  overhead ms     ratio   (medians)");
  for (const row of latencies) {
    const figures = [cell(row.floor_ms, 2), cell(row.router_ms, 2), cell(row.overhead_ms, 2), cell(row.ratio, 3)];
    print(`${String(row.at_once).padStart(16)}${figures.join(" ")}`);
  }
  print("concurrent   per second   of joined floor   of separate floor   event loop p99 ms");
  for (const row of throughputs) {
    const shares = [cell(row.of_joined_floor, 3), cell(row.of_separate_floor, 3), cell(row.event_loop_p99_ms, 2)];
    print(`${String(row.concurrent).padStart(10)}${cell(row.per_second, 1)}   ${shares.join("        ")}`);
  }
}
