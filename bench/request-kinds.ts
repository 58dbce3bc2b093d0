/**
 * What a request costs that has two clauses, or that follows another one, next to one with one clause that stands alone: requests of the service desk, answered one at a
 * time by a router that routes every text, in turns in one process. Prints processor time and wall time.
 *
 *   node dist/bench/request-kinds.js [--rounds 5] [--workers 2] [--checkpoint DIR]
 */
import { parseArgs } from "node:util";
import type { RouteRequest } from "../src/documents/request.js";
import { englishSeveralWishes } from "../src/documents/several-wishes.js";
import { compileBoundary } from "../src/router/policy/several-wishes.js";
import { aRouteRequest } from "../test/support/builders.js";
import { serviceDeskRequests } from "../test/support/service-desk.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { defaultRouter } from "./serving/default-router.js";

const requestsPerRound = 200;
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    workers: { type: "string", default: "2" },
    checkpoint: { type: "string", default: "models/default" },
  },
});
const findBoundary = compileBoundary(englishSeveralWishes);
const texts = serviceDeskRequests().map(({ text }) => text);
const oneClause = texts.filter((text) => findBoundary(text) === null);
const { sources } = await checkpointAt(values.checkpoint, "checkpoint");
const router = await defaultRouter("development", Number(values.workers), sources);
const [anyId = ""] = router.workflowIds;
const requestsOf = (asked: readonly string[], more: Parameters<typeof aRouteRequest>[0] = {}) =>
  asked.map((text) => aRouteRequest({ text, ...more }));
const kinds = {
  "one clause": requestsOf(oneClause),
  "two clauses": requestsOf(texts.filter((text) => findBoundary(text) !== null)),
  "following another": requestsOf(oneClause, { previous: { workflow_id: anyId } }),
};

async function timed(asked: readonly RouteRequest[]): Promise<{ readonly cpu: number; readonly wall: number }> {
  const started = performance.now();
  const before = process.cpuUsage();
  for (const request of asked) await router.route(request);
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000 / asked.length, wall: (performance.now() - started) / asked.length };
}

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const rounds = Number(values.rounds);
const taken = new Map(Object.keys(kinds).map((kind) => [kind, [] as Awaited<ReturnType<typeof timed>>[]]));
for (let round = -1; round < rounds; round += 1) {
  const from = (round + 1) * requestsPerRound;
  for (const [kind, asked] of Object.entries(kinds)) {
    const times = await timed(asked.slice(from, from + requestsPerRound));
    if (round >= 0) taken.get(kind)?.push(times);
  }
}
await router.close();
const base = taken.get("one clause") ?? [];
for (const [kind, times] of taken) {
  const ratio = (of: "cpu" | "wall"): string =>
    middle(times.map((own, round) => own[of] / (base[round]?.[of] ?? 1))).toFixed(2);
  const [cpu, wall] = [middle(times.map((own) => own.cpu)), middle(times.map((own) => own.wall))];
  process.stdout.write(
    `${kind}: processor time ${cpu.toFixed(1)} ms (${ratio("cpu")} times), latency ${wall.toFixed(1)} ms (${ratio("wall")} times)\n`,
  );
}
