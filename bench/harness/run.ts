import type { MeasuredFigure } from "./measure.js";

/** Description of the machine of a run, without identifying details. */
export interface MachineDescription {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  readonly onnxRuntime: string;
  /** Load average over the minute before the run. Above 1, other processes used the machine. */
  readonly loadBefore: number;
}

/** One bench of a run, as stored. */
export interface MeasuredBench {
  readonly name: string;
  readonly about: string;
  readonly figures: readonly MeasuredFigure[];
  readonly absent: readonly string[];
}

/** One run of `npm run bench`, as stored. */
export interface BenchRun {
  readonly schemaVersion: 1;
  /** Time of the run, UTC. */
  readonly at: string;
  readonly machine: MachineDescription;
  readonly warmUp: number;
  readonly rounds: number;
  readonly benches: readonly MeasuredBench[];
}

/** The latest measurement of each bench, because a run with `--only` does not measure all of them. */
export function latestOf(
  runs: readonly BenchRun[],
): readonly { readonly run: BenchRun; readonly bench: MeasuredBench }[] {
  const latest = new Map<string, { readonly run: BenchRun; readonly bench: MeasuredBench }>();
  for (const run of runs) for (const bench of run.benches) latest.set(bench.name, { run, bench });
  return [...latest.values()].sort((one, other) => (one.bench.name < other.bench.name ? -1 : 1));
}
