/** Worker thread that scores catalogs one after another and sends the row of each to its parent. */
import { parentPort, workerData } from "node:worker_threads";
import { catalogOf, readClinc150 } from "../../test/support/clinc150.js";
import { requestsOf } from "./clinc150.js";
import type { SeedJob, SeedRow } from "./ten-example-rows.js";
import { scoreCatalog } from "./score-catalog.js";
import { tenExampleRow } from "./ten-example.js";

const { dataFolder, retrieverFiles, verifierFiles, seeds, promised } = workerData as SeedJob;
const asBuffers = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Buffer> =>
  new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]));

const data = readClinc150(dataFolder);
const sources = { retrieverFiles: asBuffers(retrieverFiles), verifierFiles: asBuffers(verifierFiles) };
const requests = {
  validation: requestsOf(data, ["val", "oos_train", "oos_val"]),
  test: requestsOf(data, ["test", "oos_test"]),
};
for (const seed of seeds) {
  const indices = data.published[seed] ?? data.further[seed];
  if (indices === undefined) throw new RangeError(`there is no catalog of seed ${seed}`);
  const row: SeedRow = {
    seed,
    ...tenExampleRow(await scoreCatalog(sources, catalogOf(data, indices), requests), promised),
  };
  parentPort?.postMessage(row);
}
