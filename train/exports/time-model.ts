import type { JobInput } from "../../src/inference/protocol.js";
import { TextTokenizer } from "../../src/inference/tokenizer/text-tokenizer.js";
import { pairsJob, textsJob, type Probe, scopeOf } from "./probe-model.js";
import { probeDocuments, textOfTokens } from "./probe-texts.js";

/** Time of one run on one thread of this machine, in milliseconds. */
export interface RunTiming {
  /** Number of texts or pairs in the run. */
  readonly batch: number;
  readonly runs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const warmUpRuns = 2;
const fewestRuns = 5;
const mostRuns = 40;
const longestMs = 1500;

/** Number of tokens of a text in a timed run, including special tokens. */
const timedTokens = 16;

/** Times one text, or one text with 8 documents for a verifier. @param now  monotonic milliseconds */
export async function timeModel(probe: Probe, now: () => number, signal: AbortSignal): Promise<readonly RunTiming[]> {
  const timings: RunTiming[] = [];
  for (const { batch, input } of timedRuns(probe)) {
    const run = async (): Promise<number> => {
      const started = now();
      await probe.loaded.run(input, scopeOf(signal));
      return now() - started;
    };
    timings.push({ batch, ...(await timeRuns(run, now)) });
  }
  return timings;
}

interface TimedRun {
  readonly batch: number;
  readonly input: JobInput;
}

function timedRuns({ role, tokenizer: bytes }: Probe): readonly TimedRun[] {
  const tokenizer = new TextTokenizer(bytes);
  const textAt = (first: number): string => textOfTokens(tokenizer, timedTokens, first);
  if (role === "verifier") return [{ batch: probeDocuments.length, input: pairsJob(textAt(0)) }];
  return [{ batch: 1, input: textsJob([textAt(0)]) }];
}

async function timeRuns(run: () => Promise<number>, now: () => number): Promise<Omit<RunTiming, "batch">> {
  for (let warmUp = 0; warmUp < warmUpRuns; warmUp += 1) await run();
  const end = now() + longestMs;
  const times: number[] = [];
  while (times.length < fewestRuns || (times.length < mostRuns && now() < end)) times.push(await run());
  times.sort((a, b) => a - b);
  return { runs: times.length, p50Ms: nearestRank(times, 0.5), p95Ms: nearestRank(times, 0.95) };
}

/** Nearest-rank quantile: the smallest value with at least this share of the values at or below it. */
function nearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
