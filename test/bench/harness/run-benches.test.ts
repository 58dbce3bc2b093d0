import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, Figure } from "../../../bench/harness/figure.js";
import { historyFile, readHistory } from "../../../bench/harness/history-file.js";
import { performancePage } from "../../../bench/harness/page.js";
import type { MachineDescription } from "../../../bench/harness/run.js";
import { type BenchRequest, runBenches } from "../../../bench/harness/run-benches.js";
import { assert, packageRoot, test } from "../../support/test.js";

const machine: MachineDescription = {
  processor: "a processor",
  cores: 2,
  memoryGib: 8,
  system: "Linux",
  node: "20.20.2",
  onnxRuntime: "1.30.0",
  loadBefore: 0.2,
};
const usual: BenchRequest = { only: [], gate: false, warmUp: 1, rounds: 5 };

/** Work that is counted in place of time: one more unit in every second round, as a busy machine gives. */
function counted(work: number): () => Promise<number> {
  let round = 0;
  return async () => {
    round += 1;
    let done = 0;
    for (let unit = 0; unit < work + (round % 2); unit += 1) done += 1;
    return done;
  };
}

function aFigure(work: number, more: Partial<Figure> = {}): Figure {
  return {
    id: "work/one",
    title: "one piece of work",
    unit: "units",
    better: "lower",
    round: counted(work),
    references: [{ role: "floor", name: "half of it", round: counted(50) }],
    ...more,
  };
}

interface Outcome {
  readonly code: number;
  readonly said: string;
}

function workplace() {
  const folder = mkdtempSync(join(tmpdir(), "sluice-harness-"));
  const [results, page] = [join(folder, "results/performance.jsonl"), join(folder, "performance.md")];
  const run = async (figures: readonly Figure[], request: Partial<BenchRequest> = {}): Promise<Outcome> => {
    const lines: string[] = [];
    const bench: Bench = {
      name: "work",
      about: "Work that is counted.",
      open: async () => ({ figures, close: async () => void lines.push("closed") }),
    };
    const code = await runBenches(
      [bench],
      { ...usual, ...request },
      {
        history: historyFile(results, page),
        machine: () => machine,
        clock: () => new Date("2026-01-02T03:04:05Z"),
        say: (line) => void lines.push(line),
      },
    );
    return { code, said: lines.join("\n") };
  };
  return { folder, results, page, run };
}

async function inWorkplace(work: (place: ReturnType<typeof workplace>) => Promise<void>): Promise<void> {
  const place = workplace();
  try {
    await work(place);
  } finally {
    rmSync(place.folder, { recursive: true });
  }
}

test("a run saves medians with their spread next to the floor, and the page of them", () =>
  inWorkplace(async ({ results, page, run }) => {
    assert.is((await run([aFigure(100)])).code, 0);
    const [saved] = readHistory(results);
    const [figure] = saved?.benches[0]?.figures ?? [];
    assert.equal([figure?.median, figure?.low, figure?.high], [100, 100, 101]);
    assert.equal(figure?.references[0]?.ratio, { median: 2, low: 1.98, high: 2 });
    const text = readFileSync(page, "utf8");
    assert.is(text, performancePage(readHistory(results)));
    assert.match(
      text,
      "| one piece of work | 100 (100–101) units | floor: half of it, 50 (50–51) units | 2 (1.98–2) |",
    );
    assert.match(text, "2 cores of a processor, 8 GiB, Linux, Node.js 20.20.2");
  }));

test("a planted slowdown fails the gate, which writes nothing; equal work passes it", () =>
  inWorkplace(async ({ results, run }) => {
    await run([aFigure(100)]);
    const before = readFileSync(results, "utf8");
    const same = await run([aFigure(100)], { gate: true });
    assert.is(same.code, 0, same.said);
    const slower = await run([aFigure(130)], { gate: true });
    assert.is(slower.code, 1);
    assert.match(slower.said, /slower: work\/one, 1\.30 times worse .*times half of it/u);
    assert.is(readFileSync(results, "utf8"), before);
  }));

test("a machine that is slower as a whole passes the gate, because the floor is slower too", () =>
  inWorkplace(async ({ run }) => {
    await run([aFigure(100)]);
    const floor = { role: "floor", name: "half of it", round: counted(75) } as const;
    const { code, said } = await run([aFigure(150, { references: [floor] })], { gate: true });
    assert.is(code, 0, said);
  }));

test("without a floor the figure itself is compared, and a higher rate is better where it says so", () =>
  inWorkplace(async ({ run }) => {
    const rate = (work: number) => aFigure(work, { better: "higher", references: [] });
    await run([rate(100)]);
    assert.is((await run([rate(120)], { gate: true })).code, 0);
    assert.is((await run([rate(80)], { gate: true })).code, 1);
  }));

test("variants take turns in both orders, and the warm-up is thrown away", () =>
  inWorkplace(async ({ results, run }) => {
    const order: string[] = [];
    const named = (name: string) => async () => order.push(name);
    const references = [{ role: "floor", name: "f", round: named("f") }] as const;
    await run([aFigure(1, { round: named("s"), references })], { warmUp: 1, rounds: 2 });
    assert.is(order.join(""), "sffssf");
    assert.equal(readHistory(results)[0]?.benches[0]?.figures[0]?.low, 4);
  }));

test("a curve has its law and its knee on the page", () =>
  inWorkplace(async ({ page, run }) => {
    const point = (at: number): Figure =>
      aFigure(0, {
        id: `work/${at}`,
        title: "Work over size",
        round: async () => 40 + 2 * at,
        references: [],
        point: { of: "sizes", at },
      });
    await run([10, 100, 1000].map(point));
    assert.match(readFileSync(page, "utf8"), "Law: 40 units + 2 units for each of the sizes; from 20 on");
  }));

test("an unknown name of a bench is refused before anything is measured", () =>
  inWorkplace(async ({ run }) => {
    const { code, said } = await run([aFigure(1)], { only: ["wrok"] });
    assert.equal([code, said], [2, "unknown bench wrok; expected one of work"]);
  }));

test("bench/performance.md is the page of the last results", () => {
  const runs = readHistory(join(packageRoot, "bench/results/performance.jsonl"));
  assert.ok(runs.length > 0);
  const page = join(packageRoot, "bench/performance.md");
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(page, performancePage(runs));
  assert.is(readFileSync(page, "utf8"), performancePage(runs));
});
