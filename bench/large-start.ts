/**
 * What a large catalog costs: the start of the default models from a stored index, their memory, and a request. Catalog,
 * vectors and heads are invented, because encoding 130,000 texts and fitting 10,000 heads takes minutes: times and memory
 * are those of real ones, scores mean nothing.
 *
 *   node --expose-gc dist/bench/large-start.js [--workflows 10000] [--threads 2]
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import type { Workflow } from "../src/domain/catalog.js";
import { unbounded } from "../src/domain/run-scope.js";
import { InferencePool } from "../src/inference/pool.js";
import { SharedRows } from "../src/inference/shared-rows.js";
import { activeWorkflows } from "../src/policy/eligibility.js";
import { catalogTexts } from "../src/retrieval/catalog-texts.js";
import type { Heads, HeadWeights } from "../src/retrieval/head.js";
import { parseRetrieverModel } from "../src/retrieval/parse-retriever.js";
import { headBytes } from "../src/retrieval/stored-heads.js";
import { vectorFile } from "../src/retrieval/stored-vectors.js";
import { openTransformer } from "../src/retrieval/text-encoder.js";
import { loadModels, type ModelSources } from "../src/routing/load-models.js";
import { seededRandom } from "../src/stats/seeded-random.js";
import { aTextToScore } from "../test/support/text-to-score.js";
import { defaultModels } from "./serving/default-models.js";
import { inventedCatalog } from "./suites/invented-catalog.js";
import { processorMicros } from "./suites/scoring-thread.js";

const { values } = parseArgs({
  options: { workflows: { type: "string", default: "10000" }, threads: { type: "string", default: "2" } },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const workers = Number(values.threads);
const random = seededRandom(1);
const negatives = 48;
const requests = 60;

const sources = await defaultModels();
const { catalog, texts } = await inventedCatalog(Number(values.workflows), requests);
const vectorBytes = await inventedIndex(sources, activeWorkflows(catalog));

const resident = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);
globalThis.gc?.();
print(`before: ${resident()} MiB resident, of which the index is ${Math.round(vectorBytes.length / 2 ** 20)}`);
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const began = performance.now();
const before = processorMicros();
const models = await loadModels(catalog, { ...sources, vectorBytes }, { workers, queueLimit: 64 });
delay.disable();
const seconds = ((performance.now() - began) / 1000).toFixed(1);
print(`start: ${seconds} s, ${((processorMicros() - before) / 1e6).toFixed(1)} s of processor time`);
const [p99, longest] = [delay.percentile(99), delay.max].map((nanoseconds) => (nanoseconds / 1e6).toFixed(0));
print(`event loop while it starts: 99 % within ${p99} ms, at most ${longest} ms`);

const shape = { ...aTextToScore(catalog, ""), topK: 8, sentinels: 3, ranks: 20, patternBudgetMs: 50 };
for (const [turn, name] of ["first requests", "requests"].entries()) {
  const start = processorMicros();
  for (const text of texts) await models.scoreText({ ...shape, text }, unbounded);
  const milliseconds = (processorMicros() - start) / 1000 / texts.length;
  print(`${name}: ${milliseconds.toFixed(1)} ms of processor time each, encoding and collection of garbage included`);
  if (turn === 1) globalThis.gc?.();
}
print(`then: ${resident()} MiB resident with ${workers} threads and the index file`);
await models.close();

async function inventedIndex({ retrieverFiles }: ModelSources, workflows: readonly Workflow[]): Promise<Buffer> {
  const model = parseRetrieverModel(retrieverFiles);
  if (model.kind !== "encoder") throw new Error("the default retriever has no encoder");
  const { starts } = catalogTexts(workflows);
  const count = starts.at(-1) ?? 0;
  const vectors = SharedRows.ofSize(count, model.dimensions);
  for (let place = 0; place < count; place += 1) {
    const row = vectors.row(place);
    for (let d = 0; d < row.length; d += 1) row[d] = random.uniform() - 0.5;
    const norm = Math.hypot(...row);
    for (let d = 0; d < row.length; d += 1) row[d] = (row[d] ?? 0) / norm;
  }
  const heads: Heads = { mixed: inventedHead(starts), encoder: inventedHead(starts), lexical: inventedHead(starts) };
  const pool = new InferencePool({ workers: 1, queueLimit: 1 });
  try {
    const { identity } = await openTransformer(retrieverFiles, model, pool);
    return await vectorFile({ model, identity }, workflows, vectors, headBytes(model, heads));
  } finally {
    await pool.close();
  }
}

/** Own texts, and texts drawn at random as hard negatives. */
function inventedHead(textStarts: Int32Array): HeadWeights {
  const count = textStarts.at(-1) ?? 0;
  const starts = [0];
  const texts: number[] = [];
  const weights: number[] = [];
  for (let workflow = 0; workflow + 1 < textStarts.length; workflow += 1) {
    for (let text = textStarts[workflow] ?? 0; text < (textStarts[workflow + 1] ?? 0); text += 1) {
      texts.push(text);
      weights.push(0.2);
    }
    for (let negative = 0; negative < negatives; negative += 1) {
      texts.push(random.integer(0, count - 1));
      weights.push(-0.01);
    }
    starts.push(texts.length);
  }
  return { starts: Int32Array.from(starts), texts: Int32Array.from(texts), weights: Float32Array.from(weights) };
}
