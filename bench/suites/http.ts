import type { Bench, Figure, Reference } from "../harness/figure.js";
import { nlpInstalled } from "../serving/nlp-classifier.js";
import type { ServerKind } from "../serving/server.js";
import { type ServerProcess, startServerProcess } from "../serving/server-process.js";

const connections = 64;
const seconds = 2;
const threads = 2;

export const http: Bench = {
  name: "http",
  about: `\`POST /v1/route\` with the default and with the fast models, service desk, ${connections} connections and ${threads} scoring threads; clients are processes on the same machine. The floor is a bare Fastify route with the same schema that answers a constant; nlp.js answers behind that route.`,
  open: async () => {
    const peers: readonly ServerKind[] = nlpInstalled() ? ["nlp"] : [];
    const servers = new Map<ServerKind, ServerProcess>();
    for (const kind of ["default", "fast", "bare", ...peers] as const)
      servers.set(kind, await startServerProcess(kind, threads));
    const loaded = async (kind: ServerKind): Promise<{ readonly rate: number; readonly cpuMicros: number }> => {
      const server = servers.get(kind);
      if (server === undefined) return { rate: Number.NaN, cpuMicros: Number.NaN };
      const before = (await server.used()).cpuMicros;
      const result = await server.load({ connections, seconds, rate: null });
      const { requestsPerSec, answers, notOk, otherDecisions } = result;
      if (notOk + otherDecisions > 0)
        throw new Error(`${notOk + otherDecisions} answers of the server ${kind} were not its decisions`);
      return { rate: requestsPerSec, cpuMicros: ((await server.used()).cpuMicros - before) / answers };
    };
    const figure = (
      own: "default" | "fast",
      part: "rate" | "cpuMicros",
      more: Pick<Figure, "id" | "title" | "unit" | "better">,
    ): Figure => {
      const round = (kind: ServerKind) => async () => (await loaded(kind))[part];
      const floor: Reference = { role: "floor", name: "bare Fastify route", round: round("bare") };
      const rest = peers.map((kind): Reference => ({ role: "peer", name: "nlp.js 4", round: round(kind) }));
      return { ...more, round: round(own), references: [floor, ...rest] };
    };
    return {
      figures: (["default", "fast"] as const).flatMap((own) => {
        const prefix = own === "fast" ? "fast models: " : "";
        const id = own === "fast" ? "http/fast" : "http";
        return [
          figure(own, "rate", { id: `${id}/rate`, title: `${prefix}requests`, unit: "per second", better: "higher" }),
          figure(own, "cpuMicros", {
            id: `${id}/processor-time`,
            title: `${prefix}processor time of a request`,
            unit: "µs",
            better: "lower",
          }),
        ];
      }),
      absent: nlpInstalled() ? [] : ["nlp.js; `npm install --no-save node-nlp@4.27.0` (96 packages, 119 MB) adds it."],
      close: async () => {
        for (const server of servers.values()) await server.stop();
      },
    };
  },
};
