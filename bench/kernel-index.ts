/**
 * Index and requests of a word-kernel retriever over growing catalogs of invented words: ten examples for each workflow
 * under seeded vectors of 256 dimensions and a vocabulary of 30,000 lemmas, and without vectors. One request at a time, one inference thread; CPU time is of the whole process.
 *
 *   npx tsc -b bench && node dist/bench/kernel-index.js [workflows ...]   (150 1000 10000 unless given)
 */
import { unbounded } from "../src/domain/run-scope.js";
import type { Workflow } from "../src/domain/catalog.js";
import { InferencePool } from "../src/inference/pool.js";
import { WordKernelsRetriever } from "../src/retrieval/kernels/word-kernels-retriever.js";
import type { Retriever } from "../src/retrieval/retriever.js";
import { wordVectors } from "../src/retrieval/words/load-word-vectors.js";
import { seededRandom } from "../src/stats/seeded-random.js";
import { aWorkflow } from "../test/support/builders.js";
import { wordKernelsModel } from "../test/support/word-vectors.js";

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [150, 1000, 10_000];
const dimensions = 256;
const vocabulary = 30_000;
const examples = 10;
const wordsPerText = 9;
const wordsPerWorkflow = 40;
const warmUp = 50;
const requests = 500;

const random = seededRandom(1);
const print = (text: string): unknown => process.stdout.write(`${text}\n`);
const row = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(13)).join("");

const syllables = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"];
const letters = (n: number): string =>
  [n & 15, (n >> 4) & 15, (n >> 8) & 15, (n >> 12) & 15].map((part) => syllables[part] ?? "").join("");
const lemmas = Array.from({ length: vocabulary }, (_, i) => letters(i));

/** Frequent words come first: the density falls as in language. */
const anyWord = (): string => lemmas[Math.floor(vocabulary * random.uniform() ** 3)] ?? "";

const vectors = wordVectors(
  { lemmas, counts: lemmas.map((_, i) => Math.ceil(1e6 / (i + 1))) },
  Float32Array.from({ length: vocabulary * dimensions }, () => random.normal()),
  dimensions,
);

const textOf = (words: readonly string[]): string =>
  Array.from({ length: wordsPerText }, () =>
    random.uniform() < 0.8 ? (words[random.integer(0, words.length - 1)] ?? "") : anyWord(),
  ).join(" ");

interface Invented {
  readonly workflows: readonly Workflow[];
  readonly texts: readonly string[];
}

function invent(count: number): Invented {
  const themes = Array.from({ length: count }, () => Array.from({ length: wordsPerWorkflow }, anyWord));
  const workflows = themes.map((words, i) =>
    aWorkflow({
      workflowId: `workflow.${i}`,
      name: words.slice(0, 3).join(" "),
      description: `${words.slice(3, 9).join(" ")}.`,
      capabilities: [],
      examples: Array.from({ length: examples }, () => textOf(words)),
    }),
  );
  const texts = Array.from({ length: warmUp + requests }, () => textOf(themes[random.integer(0, count - 1)] ?? []));
  return { workflows, texts };
}

interface Times {
  readonly buildSeconds: number;
  readonly buildCpuSeconds: number;
  /** Longest time in which the thread answered nothing else during the build, milliseconds. */
  readonly blockedMs: number;
  /** Microseconds for each request, median. */
  readonly median: number;
  readonly cpu: number;
}

const cpuMicros = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

async function measure(build: () => Promise<Retriever>, { texts }: Invented): Promise<Times> {
  let last = performance.now();
  let blockedMs = 0;
  const beat = setInterval(() => {
    blockedMs = Math.max(blockedMs, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  const retriever = await build();
  const buildSeconds = (performance.now() - start) / 1000;
  const buildCpuSeconds = cpuMicros(cpuStart) / 1e6;
  clearInterval(beat);
  for (const text of texts.slice(0, warmUp)) await retriever.rank(text, unbounded);
  const taken: number[] = [];
  const before = process.cpuUsage();
  for (const text of texts.slice(warmUp)) {
    const asked = performance.now();
    await retriever.rank(text, unbounded);
    taken.push((performance.now() - asked) * 1000);
  }
  taken.sort((a, b) => a - b);
  const median = taken[Math.floor(taken.length / 2)] ?? Number.NaN;
  return { buildSeconds, buildCpuSeconds, blockedMs, median, cpu: cpuMicros(before) / requests };
}

print(
  row(["workflows", "texts", "retriever", "build s", "build CPU s", "blocked ms", "request us", "CPU us", "RSS MiB"]),
);
for (const size of sizes) {
  const invented = invent(size);
  const { workflows } = invented;
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  const show = (name: string, times: Times): void => {
    const { buildSeconds, buildCpuSeconds, blockedMs, median, cpu } = times;
    const cells = [buildSeconds.toFixed(2), buildCpuSeconds.toFixed(2), blockedMs.toFixed(0), median.toFixed(0)];
    const memory = process.memoryUsage().rss / 2 ** 20;
    print(row([String(size), String(size * (examples + 1)), name, ...cells, cpu.toFixed(0), memory.toFixed(0)]));
  };
  try {
    const model = wordKernelsModel();
    const kernels = await measure(() => WordKernelsRetriever.create({ model, vectors }, workflows, pool), invented);
    show("word_kernels", kernels);
    const bare = await measure(() => WordKernelsRetriever.create({ model, vectors: null }, workflows, pool), invented);
    show("no vectors", bare);
    print(`${" ".repeat(13)}request, with / without vectors: ${(kernels.median / bare.median).toFixed(2)}`);
  } finally {
    await pool.close();
  }
}
