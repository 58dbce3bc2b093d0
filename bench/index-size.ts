/**
 * Exact search over catalogs of growing size: random unit vectors of 384 dimensions, one description and one example
 * for each workflow, one inference thread, one query at a time. No encoder runs.
 *
 *   npx tsc -b bench && node dist/bench/index-size.js   (half a minute)
 */
import { unbounded } from "../src/domain/run-scope.js";
import { onnxModel } from "../src/inference/onnx-graph.js";
import { plainGraph } from "../src/inference/plain-graph.js";
import type { LoadedModel } from "../src/inference/model-host.js";
import { InferencePool } from "../src/inference/pool.js";
import { bestPositions, idRanksOf } from "../src/retrieval/best-positions.js";
import { type IndexedWorkflow, indexGraph } from "../src/retrieval/encoder/index-graph.js";
import { seededRandom } from "../src/stats/seeded-random.js";
import { anIndexedWorkflow, scoresByLoops, unitVector } from "../test/support/vectors.js";

const sizes = [10, 1000, 10_000, 50_000, 100_000];
const dimensions = 384;
const descriptionWeight = 0.5;
const topK = 20;
const repetitions = 20;

const random = seededRandom(1);
const print = (text: string): unknown => process.stdout.write(`${text}\n`);
const row = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(12)).join("");
const ms = (value: number): string => value.toFixed(value < 10 ? 3 : 1);

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Median milliseconds, after one call that is not counted. */
async function timed(work: () => unknown): Promise<number> {
  await work();
  const taken: number[] = [];
  for (let i = 0; i < repetitions; i += 1) {
    const start = performance.now();
    await work();
    taken.push(performance.now() - start);
  }
  return median(taken);
}

async function search(model: LoadedModel, query: Float32Array): Promise<Float64Array> {
  const matrix = { rows: 1, columns: dimensions, values: query };
  return new Float64Array((await model.run({ kind: "matrix", matrix }, unbounded)).matrix.values);
}

async function measure(workflows: readonly IndexedWorkflow[]): Promise<readonly string[]> {
  const pool = new InferencePool({ workers: 1, queueLimit: 1 });
  try {
    const start = performance.now();
    const model = await pool.load(plainGraph(onnxModel(indexGraph(workflows, dimensions, descriptionWeight))));
    const load = performance.now() - start;
    const query = unitVector(dimensions, random);
    const inGraph = await timed(() => search(model, query));
    const scores = await search(model, query);
    const ranking = { scores, idRanks: idRanksOf(workflows.map(({ workflowId }) => workflowId)) };
    const selection = await timed(() => bestPositions(ranking, topK));
    const loops = await timed(() => scoresByLoops(query, workflows, descriptionWeight));
    const ratio = (loops / inGraph).toFixed(2);
    return [String(workflows.length), ms(load), ms(inGraph), ms(selection), ms(loops), ratio];
  } finally {
    await pool.close();
  }
}

const workflows = Array.from({ length: Math.max(...sizes) }, (_, i) =>
  anIndexedWorkflow(`workflow.${i}`, { examples: 1, dimensions }, random),
);
print(row(["workflows", "load ms", "query ms", "top 20 ms", "loop ms", "loop/query"]));
for (const size of sizes) print(row(await measure(workflows.slice(0, size))));
