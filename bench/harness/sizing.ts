import { type CurvePoint, costLaw } from "./law.js";
import type { MeasuredFigure } from "./measure.js";

/** Share of the cores that a server should use; above it, queued requests increase the latency. */
const usableShare = 0.6;
const rates = [100, 1000, 10_000] as const;
const coresOfReplica = 2;

/** Number of replicas needed for a load, from the processor time and memory of a server; empty if either is missing. */
export function sizingGuide(figures: readonly MeasuredFigure[]): readonly string[] {
  const time = figures.find(({ id }) => id === "http/processor-time");
  const memory = costLaw(
    figures
      .filter(({ id }) => id.startsWith("load/memory/"))
      .map(({ point, median }): CurvePoint => ({ at: point?.at ?? 0, value: median })),
  );
  if (time === undefined || memory === null) return [];
  const perCore = 1e6 / time.median;
  const coreHours = time.median / 3600;
  return [
    "## Sizing",
    "",
    "For the default models and 112 workflows, from the processor time of a request and the memory of a server above. The rest is",
    "a model, not a measurement:",
    "",
    `- A core that does nothing else serves ${whole(perCore)} requests a second. A million requests take ${twoDigits(coreHours)} core hours; multiply by`,
    "  what your provider asks for a core hour.",
    `- Plan for ${100 * usableShare}% of the cores, leaving room for bursts: ${whole(usableShare * perCore)} requests a second for each core.`,
    `- A server takes ${whole(memory.fixed)} MiB, and ${whole(memory.each)} MiB more for each scoring thread. While a bundle is replaced, up to three are loaded.`,
    "- Other catalogs and longer texts: multiply by the growth above. Cross-encoder verifiers: measure with your own bundle, since the",
    "  stage `verify` then costs more than everything else.",
    "",
    `| Requests a second | Replicas with ${coresOfReplica} cores and ${coresOfReplica} scoring threads | Memory of all, MiB |`,
    "|---:|---:|---:|",
    ...rates.map((rate) => {
      const replicas = Math.ceil(rate / (usableShare * perCore * coresOfReplica));
      const mebibytes = replicas * (memory.fixed + coresOfReplica * memory.each);
      return `| ${rate.toLocaleString("en-US")} | ${replicas} | ${whole(mebibytes)} |`;
    }),
    "",
  ];
}

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const twoDigits = (value: number): string => Number(value.toPrecision(2)).toString();
