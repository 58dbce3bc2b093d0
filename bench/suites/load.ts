import { availableParallelism } from "node:os";
import type { Bench, Figure } from "../harness/figure.js";
import { type ServerProcess, startServerProcess } from "../serving/server-process.js";

const connectionCounts = [1, 4, 16, 64, 256] as const;
const usualConnections = 64;
const seconds = 2;
const usualThreads = 2;

/** Growth of the request rate with the load. */
export const loadCurves: Bench = {
  name: "load",
  about: `How the decisions per second grow over connections (${usualThreads} scoring threads) and over scoring threads (${usualConnections} connections); default models, service desk, clients on the same machine. A request that was refused, or not decided as when the server is idle, does not count.`,
  open: async () => {
    const threadCounts = Array.from({ length: availableParallelism() + 1 }, (_, index) => index + 1);
    const servers = new Map<number, ServerProcess>();
    for (const threads of new Set([usualThreads, ...threadCounts])) {
      servers.set(threads, await startServerProcess("default", threads));
    }
    const rate = async (threads: number, connections: number): Promise<number> => {
      const result = await servers.get(threads)?.load({ connections, seconds, rate: null });
      return result?.decisionsPerSec ?? Number.NaN;
    };
    const point = (of: string, at: number, round: () => Promise<number>): Figure => ({
      id: `load/${of}/${at}`,
      title: `Decisions per second over ${of}`,
      unit: "per second",
      better: "higher",
      round,
      references: [],
      point: { of, at },
    });
    return {
      figures: [
        ...connectionCounts.map((count) => point("connections", count, () => rate(usualThreads, count))),
        ...threadCounts.map((count) => point("threads", count, () => rate(count, usualConnections))),
        ...threadCounts.map((count): Figure => {
          const memory = async (): Promise<number> => (await servers.get(count)?.used())?.residentMib ?? Number.NaN;
          const title = "Memory of a server over its scoring threads, after the loads above";
          const unit = "MiB resident";
          return {
            ...point("threads", count, memory),
            id: `load/memory/${count}`,
            title,
            unit,
            better: "lower",
          };
        }),
      ],
      close: async () => {
        for (const server of servers.values()) await server.stop();
      },
    };
  },
};
