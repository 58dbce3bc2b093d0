import { Worker } from "node:worker_threads";
import type { ModelSources } from "../../src/router/load-models.js";
import { flowRouteRanking, flowRouteRankingDeviation, flowRouteSeeds } from "./published-rows.js";
import { type ReportedRow, rowOfSeeds } from "./rows.js";
import { promise, type Promised, type Row } from "./ten-example.js";

export type SeedRow = Row & { readonly seed: number };

/** Job of one worker thread. Model files are passed as plain bytes. */
export interface SeedJob {
  readonly dataFolder: string;
  readonly retrieverFiles: ReadonlyMap<string, Uint8Array>;
  readonly verifierFiles: ReadonlyMap<string, Uint8Array>;
  readonly seeds: readonly number[];
  readonly promised: Promised;
}

export interface TenExampleOptions {
  readonly dataFolder: string;
  readonly sources: ModelSources;
  readonly seeds: readonly number[];
  readonly promised: Promised;
  /** Number of worker threads, among which the catalogs are divided. */
  readonly workers: number;
  readonly onSeed: (row: SeedRow, done: number) => void;
}

/** One row per seed, in seed order. */
export async function tenExampleRows(options: TenExampleOptions): Promise<readonly SeedRow[]> {
  const { dataFolder, sources, seeds, promised, workers } = options;
  const rows: SeedRow[] = [];
  const parts = Array.from({ length: Math.min(workers, seeds.length) }, (_, part) =>
    seeds.filter((_seed, index) => index % workers === part),
  );
  await Promise.all(
    parts.map(
      (part) =>
        new Promise<void>((resolve, reject) => {
          const job: SeedJob = { dataFolder, ...sources, seeds: part, promised };
          const worker = new Worker(new URL("./seed-worker.js", import.meta.url), { workerData: job });
          worker.on("message", (row: SeedRow) => {
            rows.push(row);
            options.onSeed(row, rows.length);
          });
          worker.once("error", reject);
          worker.once("exit", () => resolve());
        }),
    ),
  );
  return rows.toSorted((a, b) => seeds.indexOf(a.seed) - seeds.indexOf(b.seed));
}

/** The published row of the original service. */
export function flowRouteRow(): ReportedRow {
  const about = { row: "clinc150-ten-example", system: "FlowRoute, MiniLM", source: "published" } as const;
  const row = rowOfSeeds(about, flowRouteSeeds, promise.target);
  return { ...row, ...flowRouteRanking, deviation: { ...row.deviation, ...flowRouteRankingDeviation } };
}
