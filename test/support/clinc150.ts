/** The ten-example protocol on CLINC150: 150 labels as workflows, ten published training examples each, 4,500 test texts. */
import { readFileSync } from "node:fs";
import { unbounded } from "../../src/domain/run-scope.js";
import type { Workflow } from "../../src/domain/catalog.js";
import { InferencePool } from "../../src/inference/pool.js";
import { rankOf } from "../../src/retrieval/best-positions.js";
import { aWorkflow } from "./builders.js";
import { lexicalRetriever } from "./retrieval.js";
import { shared } from "./shared.js";

export const publishedSeeds = [11, 23, 37, 53, 71] as const;

type LabelledText = readonly [text: string, label: string];
interface RawData {
  readonly train: readonly LabelledText[];
  readonly test: readonly LabelledText[];
}
interface ExampleIndices {
  readonly seeds: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

export interface RetrievalResult {
  readonly seed: number;
  readonly requests: number;
  /** Shares in [0, 1]. */
  readonly top1: number;
  readonly recallAt5: number;
}

const read = <T>(name: string): T => JSON.parse(readFileSync(shared("data", "clinc150", name), "utf8")) as T;

const words = (label: string): string => label.replaceAll("_", " ");

/** Built directly, not parsed: the label "w2" is shorter than a workflow id may be. */
function workflowsOf(raw: RawData, indices: Readonly<Record<string, readonly number[]>>): readonly Workflow[] {
  return Object.entries(indices).map(([label, examples]) =>
    aWorkflow({
      workflowId: label,
      name: words(label),
      description: `Workflow for ${words(label)}.`,
      capabilities: [],
      examples: examples.map((index) => raw.train[index]?.[0] ?? ""),
    }),
  );
}

/** Retrieval over all 150 workflows with the examples of one published seed. Takes seconds. */
export async function tenExampleRetrieval(seed: number): Promise<RetrievalResult> {
  const raw = read<RawData>("raw/data_full.json");
  const indices = read<ExampleIndices>("ten-example-catalogs.json").seeds[String(seed)];
  if (indices === undefined) throw new RangeError(`${seed} is none of the published seeds`);
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const retriever = await lexicalRetriever(workflowsOf(raw, indices), pool);
    let first = 0;
    let amongFive = 0;
    for (const [text, label] of raw.test) {
      const ranking = await retriever.rank(text, unbounded);
      const rank = rankOf(ranking, ranking.workflowIds.indexOf(label));
      if (rank === 0) first += 1;
      if (rank < 5) amongFive += 1;
    }
    const requests = raw.test.length;
    return { seed, requests, top1: first / requests, recallAt5: amongFive / requests };
  } finally {
    await pool.close();
  }
}

export const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

/** Sample standard deviation. */
export function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, v) => sum + (v - centre) ** 2, 0) / (values.length - 1));
}
