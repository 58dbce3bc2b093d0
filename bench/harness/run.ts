import type { MeasuredFigure } from "./measure.js";

/** The machine of a run, without anything that names it. */
export interface MachineDescription {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  readonly onnxRuntime: string;
  /** Processes that wanted a core before the run began, on average over a minute: above 1, others used the machine. */
  readonly loadBefore: number;
}

/** One bench of a run, as it is saved. */
export interface MeasuredBench {
  readonly name: string;
  readonly about: string;
  readonly figures: readonly MeasuredFigure[];
  readonly absent: readonly string[];
}

/** One run of `npm run bench`, as it is saved. */
export interface BenchRun {
  readonly schemaVersion: 1;
  /** UTC. */
  readonly at: string;
  readonly machine: MachineDescription;
  readonly warmUp: number;
  readonly rounds: number;
  readonly benches: readonly MeasuredBench[];
}

/** The newest measurement of each bench: a run with `--only` leaves the others as they were. */
export function latestOf(
  runs: readonly BenchRun[],
): readonly { readonly run: BenchRun; readonly bench: MeasuredBench }[] {
  const latest = new Map<string, { readonly run: BenchRun; readonly bench: MeasuredBench }>();
  for (const run of runs) for (const bench of run.benches) latest.set(bench.name, { run, bench });
  return [...latest.values()].sort((one, other) => (one.bench.name < other.bench.name ? -1 : 1));
}
