/**
 * Measures requests per second and latency over HTTP at 1, 16 and 64 connections, in interleaved rounds: a bare Fastify
 * route with the same schema, Sluice's application around a router that answers immediately, the bare route around the
 * default models on the service desk catalog, Sluice with these models, and nlp.js behind the bare route if node-nlp is
 * installed. Client and server are separate processes. Then the other servers are stopped, and the latency of the
 * default models is measured three times at half of their rate at 64 connections.
 *
 *   node dist/bench/http-throughput.js [--rounds 3] [--seconds 3] [--workers 1] [--json]
 */
import { parseArgs } from "node:util";
import type { LoadResult } from "./harness/load-client.js";
import { nlpInstalled } from "./serving/nlp-classifier.js";
import type { ServerKind } from "./serving/server.js";
import { type ServerProcess, startServerProcess } from "./serving/server-process.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    workers: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
/** One load, with the server's processor time per request, which hardly depends on other processes. */
interface Measured extends LoadResult {
  readonly cpuMicros: number;
}

const levels = [1, 16, 64] as const;

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const kinds: readonly ServerKind[] = [
  "bare",
  "http",
  "models",
  "default",
  ...(nlpInstalled() ? (["nlp"] as const) : []),
];
const servers: ServerProcess[] = [];
for (const kind of kinds) servers.push(await startServerProcess(kind, Number(values.workers)));
const seconds = Number(values.seconds);
const results = new Map<string, Measured[]>();
for (const { load } of servers) await load({ connections: 16, seconds: 2, rate: null });
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const connections of levels) {
    for (const { kind, load, used } of servers) {
      const before = (await used()).cpuMicros;
      const result = await load({ connections, seconds, rate: null });
      const cpuMicros = ((await used()).cpuMicros - before) / result.answers;
      const key = `${kind} ${connections}`;
      results.set(key, [...(results.get(key) ?? []), { ...result, cpuMicros }]);
    }
  }
}
const of = (kind: ServerKind, connections: number, part: keyof Measured): number =>
  median((results.get(`${kind} ${connections}`) ?? []).map((result) => result[part]));

const saturation = of("default", 64, "requestsPerSec");
const [own] = servers.filter(({ kind }) => kind === "default");
for (const server of servers) if (server !== own) await server.stop();
const half: LoadResult[] = [];
for (let round = 0; own !== undefined && round < 3; round += 1) {
  half.push(await own.load({ connections: 64, seconds: 3 * seconds, rate: saturation / 2 }));
}
await own?.stop();

const failed = [...results.values(), half]
  .flat()
  .reduce((sum, { notOk, otherDecisions }) => sum + notOk + otherDecisions, 0);
/** Requests per second of one kind of server relative to another at 64 connections; median of the rounds. */
const share = (kind: ServerKind, floor: ServerKind = "bare"): number => {
  const floors = results.get(`${floor} 64`) ?? [];
  const own = results.get(`${kind} 64`) ?? [];
  return median(own.map(({ requestsPerSec }, round) => requestsPerSec / (floors[round]?.requestsPerSec ?? Number.NaN)));
};
const percent = (part: number): string => `${(part * 100).toFixed(0)} %`;
if (values.json) {
  say(
    JSON.stringify({
      results: Object.fromEntries(results),
      half,
      failed,
      http: share("http"),
      default: share("default"),
    }),
  );
} else {
  say("server    connections requests/s   p50 ms   p99 ms   server CPU us");
  for (const kind of kinds) {
    for (const connections of levels) {
      const cells = [of(kind, connections, "requestsPerSec").toFixed(0).padStart(10)];
      for (const part of ["p50", "p99"] as const) cells.push(of(kind, connections, part).toFixed(2).padStart(8));
      cells.push(of(kind, connections, "cpuMicros").toFixed(0).padStart(15));
      say(`${kind.padEnd(9)} ${String(connections).padStart(11)} ${cells.join(" ")}`);
    }
  }
  if (!nlpInstalled()) say("nlp.js: absent (node-nlp is not installed; it is no dependency)");
  const [http, models] = [percent(share("http")), percent(share("default", "models"))];
  say(`at 64 connections: http ${http} of the bare route, default ${models} of its models behind the bare route`);
  say(`default as a share of the bare route without models: ${percent(share("default"))}`);
  const quantiles = (part: "p50" | "p99"): string => half.map((one) => one[part].toFixed(2)).join(", ");
  say(`default at half of saturation (${(saturation / 2).toFixed(0)} requests/s), three times:`);
  say(`  p50 ${quantiles("p50")} ms, p99 ${quantiles("p99")} ms`);
  say(`answers that were not the decision of the request asked alone: ${failed}`);
}
process.exitCode = failed === 0 ? 0 : 1;
