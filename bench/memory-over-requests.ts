/**
 * Measures the resident memory of the process while one router answers many requests with the lexical models.
 *
 *   npm run build && node --expose-gc dist/bench/memory-over-requests.js [requests]   (100,000: two minutes)
 */
import { BundleRouter } from "../src/router/router.js";
import { anAcceptingCalibration, aPolicy, aRouteRequest } from "../test/support/builders.js";
import { testModels } from "../test/support/models.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../test/support/service-desk.js";

const total = Number(process.argv[2] ?? 100_000);
const concurrency = 64;
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1).padStart(8);

const catalog = await serviceDeskCatalog();
const router = new BundleRouter({
  catalog,
  calibration: anAcceptingCalibration(),
  policy: aPolicy({ deadline_ms: 60_000 }),
  models: await testModels(catalog, undefined, { queueLimit: 4096 }),
  runtimeMode: "development",
  bundleId: null,
  integrityProblems: () => [],
  now: () => performance.now(),
});
const texts = serviceDeskRequests().map(({ text }) => text);

let sent = 0;
async function routeUntil(limit: number): Promise<void> {
  while (sent < limit) {
    const text = texts[sent % texts.length] ?? "";
    sent += 1;
    await router.route(aRouteRequest({ text, catalog_version: catalog.catalog_version }));
  }
}

process.stdout.write("requests   resident MiB   heap MiB\n");
for (let step = 0; step <= 10; step += 1) {
  const limit = Math.round((total * step) / 10);
  await Promise.all(Array.from({ length: concurrency }, () => routeUntil(limit)));
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.stdout.write(`${String(limit).padStart(8)}   ${mebibytes(rss)}   ${mebibytes(heapUsed)}\n`);
}
await router.close();
