/** The ten-example protocol on CLINC150: 150 labels as workflows, ten published training examples each, 4,500 test texts. */
import { readFileSync } from "node:fs";
import type { EvidenceRow } from "../../calibrate/point-evidence.js";
import { unbounded } from "../../src/domain/run-scope.js";
import type { Workflow } from "../../src/domain/catalog.js";
import { InferencePool } from "../../src/inference/pool.js";
import { bestPositions, rankOf } from "../../src/retrieval/best-positions.js";
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

/** Seeds of the 100 further catalogs of ten examples per workflow. */
export function furtherSeeds(): readonly number[] {
  return Object.keys(read<ExampleIndices>("further-catalogs.json").seeds).map(Number);
}

/**
 * Lexical scores of CLINC150's 4,500 test requests and 1,100 out-of-scope requests under one of the further catalogs, as
 * the calibration sees routable requests: the first score as confidence, its lead as margin, both cut to [0, 1] and 6
 * decimals. Takes seconds.
 */
export async function scoreFurtherCatalog(seed: number): Promise<readonly EvidenceRow[]> {
  const raw = read<RawData & Readonly<Record<"oos_val" | "oos_test", readonly LabelledText[]>>>("raw/data_full.json");
  const indices = read<ExampleIndices>("further-catalogs.json").seeds[String(seed)];
  if (indices === undefined) throw new RangeError(`${seed} is none of the further seeds`);
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  const unit = (score: number): number => Math.round(1e6 * Math.min(1, Math.max(0, score))) / 1e6;
  try {
    const retriever = await lexicalRetriever(workflowsOf(raw, indices), pool);
    const rows: EvidenceRow[] = [];
    for (const [text, label] of [...raw.test, ...raw.oos_val, ...raw.oos_test]) {
      const ranking = await retriever.rank(text, unbounded);
      const [first = 0, second = 0] = bestPositions(ranking, 2);
      const [best, next] = [ranking.scores[first] ?? 0, ranking.scores[second] ?? 0];
      const outOfScope = label === "oos";
      rows.push({
        confidence: unit(best),
        margin: unit(best - next),
        error: outOfScope || ranking.workflowIds[first] !== label,
        outOfScope,
        cluster: outOfScope ? `row:${rows.length}` : `workflow:${label}`,
      });
    }
    return rows;
  } finally {
    await pool.close();
  }
}
