/**
 * Sends valid and invalid requests, generated from the schema, to real servers with the default models, half in
 * production and half in development mode. Checks that there is no status 500, no crash and no request text in a
 * response, and that every response matches its schema.
 *
 *   node dist/bench/http-fuzz.js [--requests 20000] [--seed 1] [--connections 16]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import type { RuntimeMode } from "../src/documents/response.js";
import { fuzzRequests, runFuzz } from "../test/serve/support/http-fuzz.js";
import { serviceDeskCatalog } from "../test/support/service-desk.js";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    connections: { type: "string", default: "16" },
  },
});
const perMode = Math.ceil(Number(values.requests) / 2);
const { catalog_version: catalogVersion, workflows } = await serviceDeskCatalog();
const arbitrary = fuzzRequests(
  catalogVersion,
  workflows.map(({ workflow_id: workflowId }) => workflowId),
);

/** Sends the requests of one mode, 1,000 at a time to save memory; returns whether all checks passed. */
async function fuzz(mode: RuntimeMode, firstSeed: number): Promise<boolean> {
  const child = fork(join(import.meta.dirname, "serving", "server.js"), ["default", mode], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const [chunk] = (await once(child.stdout ?? process.stdin, "data")) as [Buffer];
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  let done = 0;
  for (let seed = firstSeed; done < perMode; seed += 1) {
    const numRuns = Math.min(1000, perMode - done);
    const report = await runFuzz(
      chunk.toString().trim(),
      fc.sample(arbitrary, { numRuns, seed }),
      Number(values.connections),
    );
    done += report.requests;
    faults.push(...report.faults);
    for (const [status, count] of report.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
  const crashed = child.exitCode !== null;
  child.disconnect();
  await exited;
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(
    `${mode}: ${done} requests, ${counts.join(", ")}; ${faults.length} faults${crashed ? ", CRASHED" : ""}\n`,
  );
  for (const fault of faults.slice(0, 10)) process.stdout.write(`  ${fault}\n`);
  return faults.length === 0 && !crashed;
}

const seed = Number(values.seed);
const outcomes = [await fuzz("production", seed), await fuzz("development", seed + perMode)];
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
