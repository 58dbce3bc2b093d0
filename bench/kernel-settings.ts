/**
 * What the settings of a word-kernel retriever are worth on requests that chose them: BANKING77 training requests (ten
 * examples for each of 77 intents, 20 other ones asked) and the shipped service desk (every third request).
 * CLINC150 plays no part. Top-1 / recall@5 in percent.
 *
 *   npx tsc -b bench && node dist/bench/kernel-settings.js [RETRIEVER_DIR]   (needs ../shared; minutes)
 *
 * RETRIEVER_DIR: a directory of kind word_kernels whose vectors never saw BANKING77; without one there are no vectors.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Workflow } from "../src/domain/catalog.js";
import { unbounded } from "../src/domain/run-scope.js";
import { InferencePool } from "../src/inference/pool.js";
import { rankOf } from "../src/retrieval/best-positions.js";
import { WordKernelsRetriever } from "../src/retrieval/kernels/word-kernels-retriever.js";
import { loadWordVectors } from "../src/retrieval/words/load-word-vectors.js";
import type { WordVectors } from "../src/retrieval/words/word-vectors.js";
import { seededRandom } from "../src/stats/seeded-random.js";
import { aWorkflow } from "../test/support/builders.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../test/support/service-desk.js";
import { shared } from "../test/support/shared.js";
import { wordKernelsModel } from "../test/support/word-vectors.js";

type Overrides = Parameters<typeof wordKernelsModel>[0];
interface Asked {
  readonly text: string;
  readonly workflowId: string | null;
}
interface Task {
  readonly workflows: readonly Workflow[];
  readonly requests: readonly Asked[];
}

const examples = 10;
const asked = 20;
const print = (text: string): unknown => process.stdout.write(`${text}\n`);

function banking(seed: number): Task {
  const lines = readFileSync(shared("data", "banking77", "data.jsonl"), "utf8")
    .trim()
    .split("\n");
  const rows = lines.map((line) => JSON.parse(line) as { text: string; workflow_id: string; split: string });
  const byIntent = new Map<string, string[]>();
  for (const { text, workflow_id, split } of rows) {
    if (split !== "train") continue;
    byIntent.set(workflow_id, [...(byIntent.get(workflow_id) ?? []), text]);
  }
  const random = seededRandom(seed);
  const drawn = [...byIntent]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([intent, texts]) => ({ intent, texts: random.shuffle(texts) }));
  return {
    workflows: drawn.map(({ intent, texts }) =>
      aWorkflow({
        workflowId: intent,
        name: intent.replaceAll("_", " "),
        description: "",
        capabilities: [],
        examples: texts.slice(0, examples),
      }),
    ),
    requests: drawn.flatMap(({ intent, texts }) =>
      texts.slice(examples, examples + asked).map((text) => ({ text, workflowId: intent })),
    ),
  };
}

async function desk(): Promise<Task> {
  const { workflows } = await serviceDeskCatalog();
  const active = workflows.filter(({ status }) => status === "active");
  const ids = new Set(active.map(({ workflowId }) => workflowId));
  const known = serviceDeskRequests().filter(({ workflowId }) => workflowId !== null && ids.has(workflowId));
  return { workflows: active, requests: known.filter((_, i) => i % 3 === 0) };
}

async function recallOf(task: Task, vectors: WordVectors | null, overrides: Overrides): Promise<string> {
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const source = { model: wordKernelsModel(overrides), vectors };
    const retriever = await WordKernelsRetriever.create(source, task.workflows, pool);
    let [first, five] = [0, 0];
    for (const { text, workflowId } of task.requests) {
      const ranking = await retriever.rank(text, unbounded);
      const rank = rankOf(ranking, ranking.workflowIds.indexOf(workflowId ?? ""));
      if (rank === 0) first += 1;
      if (rank < 5) five += 1;
    }
    const percent = (count: number): string => ((100 * count) / task.requests.length).toFixed(1);
    return `${percent(first)} / ${percent(five)}`;
  } finally {
    await pool.close();
  }
}

async function vectorsIn(folder: string | undefined): Promise<WordVectors | null> {
  if (folder === undefined) return null;
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const read = (name: string): Buffer => readFileSync(join(folder, name));
    const { vectors } = JSON.parse(read("router_model.json").toString("utf8")) as {
      readonly vectors: { readonly graph: string; readonly vocabulary: string; readonly dimensions: number };
    };
    const files = { graph: read(vectors.graph), vocabulary: read(vectors.vocabulary), dimensions: vectors.dimensions };
    return await loadWordVectors(files, pool);
  } finally {
    await pool.close();
  }
}

const variants: Readonly<Record<string, Overrides>> = {
  default: {},
  "all texts as rivals, equal ridges": { head: { rivals: 1024, rivalRidge: 0.1 } },
  "64 rivals": { head: { rivals: 64 } },
  "128 rivals": { head: { rivals: 128 } },
  "256 rivals": { head: { rivals: 256 } },
  "equal ridges": { head: { rivalRidge: 0.1 } },
  "rival ridge 4": { head: { rivalRidge: 4 } },
  "gamma 1": { head: { gamma: 1 } },
  "gamma 3": { head: { gamma: 3 } },
  "no dense": { kernels: { dense: 0 } },
  "no soft": { kernels: { soft: 0 } },
  "lexical alone": { kernels: { dense: 0, soft: 0 } },
  "4 neighbours": { kernels: { neighbours: 4 } },
  "16 neighbours": { kernels: { neighbours: 16 } },
};

const vectors = await vectorsIn(process.argv[2]);
const tasks = { "BANKING77, draw 1": banking(1), "BANKING77, draw 2": banking(2), "service desk": await desk() };
const row = (cells: readonly string[]): string => cells.map((cell, i) => cell.padEnd(i === 0 ? 36 : 20)).join("");
print(row(["settings", ...Object.keys(tasks)]));
for (const [name, overrides] of Object.entries(variants)) {
  const cells: string[] = [];
  for (const task of Object.values(tasks)) cells.push(await recallOf(task, vectors, overrides));
  print(row([name, ...cells]));
}
