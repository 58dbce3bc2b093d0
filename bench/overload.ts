/**
 * Measures goodput under overload: decisions per second of a server with the default models at increasing numbers of
 * connections, then at ten times the saturating number and at a thousand. Clients send the next request immediately
 * after any response. A decision is a response with status 200 that equals the decision for the request on its own.
 * Rounds alternate, so that other work on the machine affects all of them alike; the processor time of the client is
 * shown.
 *
 *   node dist/bench/overload.js [--seconds 4] [--rounds 3] [--workers 2] [--json]
 *
 * With --mcp: decisions per second of one connection on /v1/route with ten on /mcp, relative to ten on
 * /v1/route.
 */
import { parseArgs } from "node:util";
import { startServerProcess } from "./serving/server-process.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    workers: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    mcp: { type: "boolean", default: false },
  },
});

const levels = [1, 2, 4, 8, 16, 32, 64] as const;
/** Share of the best goodput at which a server counts as saturated. */
const saturated = 0.95;
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

interface Point {
  readonly connections: number;
  readonly decisionsPerSec: number;
  readonly p99: number;
  readonly refusedPerSec: number;
  readonly otherDecisions: number;
  /** Processor seconds per second, of the server and of the load client. */
  readonly serverCores: number;
  readonly clientCores: number;
}

const server = await startServerProcess("default", Number(values.workers));

async function measure(connections: number): Promise<Point> {
  const before = (await server.used()).cpuMicros;
  const result = await server.load({ connections, seconds, rate: null });
  const { decisionsPerSec, p99, notOk, otherDecisions, clientCores, elapsedSec } = result;
  const serverCores = ((await server.used()).cpuMicros - before) / 1e6 / elapsedSec;
  const refusedPerSec = notOk / elapsedSec;
  return { connections, decisionsPerSec, p99, refusedPerSec, otherDecisions, serverCores, clientCores };
}

/** Results of every round, by number of connections. */
async function measureInTurns(connections: readonly number[]): Promise<ReadonlyMap<number, readonly Point[]>> {
  const points = new Map<number, Point[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const count of connections) points.set(count, [...(points.get(count) ?? []), await measure(count)]);
  }
  return points;
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
const rateOf = (points: readonly Point[] = []): number => median(points.map(({ decisionsPerSec }) => decisionsPerSec));

/** Decisions per second of one connection next to ten others. */
async function oneAmongTen(path: "/v1/route" | "/mcp"): Promise<{ readonly one: number; readonly others: number }> {
  const [one, others] = await Promise.all([
    server.load({ connections: 1, seconds, rate: null }),
    server.load({ connections: 10, seconds, rate: null, path }),
  ]);
  if (others.answers === others.notOk) throw new Error(`${path}: no response with status 200`);
  return { one: one.decisionsPerSec, others: others.requestsPerSec };
}

async function compareRoads(): Promise<number> {
  await oneAmongTen("/mcp");
  const shares: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [mcp, route] = [await oneAmongTen("/mcp"), await oneAmongTen("/v1/route")];
    shares.push(mcp.one / route.one);
    const [withMcp, withRoute] = [mcp, route].map(
      ({ one, others }) => `${one.toFixed(1)}/s (others ${others.toFixed(0)}/s)`,
    );
    process.stdout.write(`round ${round}: with /mcp ${withMcp}, with /v1/route ${withRoute}\n`);
  }
  process.stdout.write(`goodput with /mcp relative to /v1/route: ${median(shares).toFixed(2)}\n`);
  return median(shares);
}

if (values.mcp) {
  const share = await compareRoads();
  await server.stop();
  process.exitCode = share >= 0.9 ? 0 : 1;
} else {
  await measureGrowth();
}

async function measureGrowth(): Promise<void> {
  await measure(16);
  const growth = await measureInTurns(levels);
  const best = levels.reduce((a, b) => (rateOf(growth.get(b)) > rateOf(growth.get(a)) ? b : a));
  const saturation = levels.find((count) => rateOf(growth.get(count)) >= saturated * rateOf(growth.get(best))) ?? best;
  const over = await measureInTurns([best, 10 * saturation, 1000]);
  await server.stop();

  /** Goodput relative to the best number of connections in the same round. */
  const shareOf = (connections: number): number =>
    median(
      (over.get(connections) ?? []).map(
        ({ decisionsPerSec }, round) => decisionsPerSec / (over.get(best)?.[round]?.decisionsPerSec ?? Number.NaN),
      ),
    );
  const shares = { tenTimes: shareOf(10 * saturation), thousand: shareOf(1000) };
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ growth: [...growth], best, saturation, over: [...over], shares })}\n`);
  } else {
    for (const point of [...growth.values(), ...over.values()].flat()) {
      const { connections, decisionsPerSec, p99, refusedPerSec, otherDecisions, serverCores, clientCores } = point;
      const cells = [
        `${connections} connections`,
        `${decisionsPerSec.toFixed(0)} decisions/s`,
        `p99 ${p99.toFixed(0)} ms`,
        `${refusedPerSec.toFixed(0)} refused/s`,
        `${otherDecisions} other decisions`,
        `cores ${serverCores.toFixed(2)} server, ${clientCores.toFixed(2)} client`,
      ];
      process.stdout.write(`${cells.join(", ")}\n`);
    }
    const [ten, thousand] = [shares.tenTimes, shares.thousand].map((share) => share.toFixed(2));
    process.stdout.write(
      `best at ${best} connections; share of it: ${ten} at ${10 * saturation}, ${thousand} at 1000\n`,
    );
  }
  process.exitCode = Math.min(shares.tenTimes, shares.thousand) >= 0.9 ? 0 : 1;
}
