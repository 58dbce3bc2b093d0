/**
 * Goodput under overload: decisions per second of a server with the default models at growing numbers of connections,
 * then at ten times the number that saturates it. Clients send the next request at once, whatever the answer was. A
 * decision is an answer with 200 that is not `BACKEND_UNAVAILABLE`.
 *
 *   node dist/bench/overload.js [--seconds 4] [--workers 2] [--json]
 */
import { parseArgs } from "node:util";
import { load, requestBodies, startServerProcess } from "./serving/server-process.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    workers: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
  },
});

const levels = [1, 2, 4, 8, 16, 32, 64] as const;
/** Share of the best from which more connections count as saturation. */
const saturated = 0.95;

interface Point {
  readonly connections: number;
  readonly decisionsPerSec: number;
  readonly p99: number;
  readonly refused: number;
  readonly undecided: number;
}

const bodies = await requestBodies();
const server = await startServerProcess("default", Number(values.workers));
const seconds = Number(values.seconds);
const measure = async (connections: number): Promise<Point> => {
  const result = await load({ port: server.port, bodies, connections, seconds, rate: null });
  const { decisionsPerSec, p99, notOk, undecided } = result;
  return { connections, decisionsPerSec, p99, refused: notOk, undecided };
};
await measure(16);
const points: Point[] = [];
for (const connections of levels) points.push(await measure(connections));
const best = Math.max(...points.map(({ decisionsPerSec }) => decisionsPerSec));
const saturation = points.find(({ decisionsPerSec }) => decisionsPerSec >= saturated * best)?.connections ?? 64;
const over = await measure(10 * saturation);
const thousand = await measure(1000);
await server.stop();

const share = over.decisionsPerSec / best;
if (values.json) {
  process.stdout.write(`${JSON.stringify({ points, saturation, over, thousand, share })}\n`);
} else {
  for (const { connections, decisionsPerSec, p99, refused, undecided } of [...points, over, thousand]) {
    const cells = [
      `${connections} connections`,
      `${decisionsPerSec.toFixed(0)} decisions/s`,
      `p99 ${p99.toFixed(0)} ms`,
    ];
    process.stdout.write(`${[...cells, `${refused} refused`, `${undecided} undecided`].join(", ")}\n`);
  }
  process.stdout.write(`share of the best at ten times saturation (${10 * saturation}): ${share.toFixed(2)}\n`);
}
process.exitCode = share >= 0.9 ? 0 : 1;
