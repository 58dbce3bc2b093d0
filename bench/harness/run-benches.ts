import type { Bench } from "./figure.js";
import { slowdowns, usualTolerance } from "./gate.js";
import { measure } from "./measure.js";
import { performancePage } from "./page.js";
import { type BenchRun, latestOf, type MachineDescription, type MeasuredBench } from "./run.js";

/** Options of `npm run bench`. */
export interface BenchRequest {
  /** Names of benches; empty: all. */
  readonly only: readonly string[];
  /** Compares with the last results and writes nothing. */
  readonly gate: boolean;
  readonly warmUp: number;
  readonly rounds: number;
}

/** Results of earlier runs, and the page generated from them. */
export interface BenchHistory {
  read(): readonly BenchRun[];
  /** @param runs  oldest first */
  write(runs: readonly BenchRun[], page: string): void;
}

/** Dependencies of a run. */
export interface BenchSurroundings {
  readonly history: BenchHistory;
  readonly machine: () => MachineDescription;
  readonly clock: () => Date;
  readonly say: (line: string) => void;
}

/** Maximum number of runs in the history. */
const keptRuns = 50;

/**
 * Measures benches and saves or compares the results. Returns the exit code: 1 after a slowdown, 2 for an unknown name.
 */
export async function runBenches(
  benches: readonly Bench[],
  request: BenchRequest,
  { history, machine, clock, say }: BenchSurroundings,
): Promise<number> {
  const unknown = request.only.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    say(`unknown bench ${unknown.join(", ")}; expected one of ${benches.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  const wanted = benches.filter(({ name }) => request.only.length === 0 || request.only.includes(name));
  const described = machine();
  const measured: MeasuredBench[] = [];
  for (const bench of wanted) {
    say(`${bench.name}: ${bench.about}`);
    measured.push(await measuredBench(bench, request));
    for (const line of linesOf(measured.at(-1))) say(line);
  }
  const earlier = history.read();
  const found = slowdowns(
    latestOf(earlier).map(({ bench }) => bench),
    measured,
  );
  for (const { id, what, before, now, times } of found) {
    say(
      `slower: ${id}, ${times.toFixed(2)} times worse than in the last results (${what}: ${before} before, ${now} now)`,
    );
  }
  if (request.gate) {
    if (found.length === 0) say(`gate: nothing is worse by more than ${100 * usualTolerance}%`);
    return found.length === 0 ? 0 : 1;
  }
  const { warmUp, rounds } = request;
  const run: BenchRun = {
    schemaVersion: 1,
    at: clock().toISOString(),
    machine: described,
    warmUp,
    rounds,
    benches: measured,
  };
  const runs = [...earlier, run].slice(-keptRuns);
  history.write(runs, performancePage(runs));
  return 0;
}

async function measuredBench(bench: Bench, request: BenchRequest): Promise<MeasuredBench> {
  const { figures, absent = [], close } = await bench.open();
  try {
    return { name: bench.name, about: bench.about, figures: await measure(figures, request), absent };
  } finally {
    await close();
  }
}

function linesOf(bench: MeasuredBench | undefined): readonly string[] {
  return (bench?.figures ?? []).flatMap(({ id, unit, median, low, high, references }) => [
    `  ${id}: ${median} ${unit} (${low} to ${high})`,
    ...references.map(
      ({ role, name, ratio, ...theirs }) =>
        `    ${role} ${name}: ${theirs.median} ${unit}; ${ratio.median} times (${ratio.low} to ${ratio.high})`,
    ),
  ]);
}
