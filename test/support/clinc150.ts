/** The ten-example protocol on CLINC150: 150 labels as workflows, ten published training examples each, 4,500 test texts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../src/base/sha256.js";
import { unbounded } from "../../src/documents/run-scope.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { rankOf } from "../../src/router/retrieval/best-positions.js";
import { aWorkflow } from "./builders.js";
import { lexicalRetriever } from "./retrieval.js";
import { shared } from "./shared.js";

export const publishedSeeds = [11, 23, 37, 53, 71] as const;

/** Positions in the training list of the examples of each workflow, by label. */
export type ExampleIndices = Readonly<Record<string, readonly number[]>>;

type LabelledText = readonly [text: string, label: string];
export type ListName = "train" | "val" | "test" | "oos_train" | "oos_val" | "oos_test";
interface IndexFile {
  readonly seeds: Readonly<Record<string, ExampleIndices>>;
}

/** CLINC150 as published: 150 labels, 100 / 20 / 30 texts each; 100 / 100 / 1,000 texts out of scope. */
export interface Clinc150 {
  /** SHA-256 of `data_full.json`. */
  readonly sha256: string;
  readonly lists: Readonly<Record<ListName, readonly LabelledText[]>>;
  readonly published: IndexFile["seeds"];
  readonly further: IndexFile["seeds"];
}

export interface RetrievalResult {
  readonly seed: number;
  readonly requests: number;
  /** Shares in [0, 1]. */
  readonly top1: number;
  readonly recallAt5: number;
}

/** Reads the dataset from the folder that holds `clinc150/`. */
export function readClinc150(dataFolder: string): Clinc150 {
  const bytes = (name: string): Buffer => readFileSync(join(dataFolder, "clinc150", name));
  const parsed = <T>(name: string): T => JSON.parse(bytes(name).toString("utf8")) as T;
  const raw = bytes("raw/data_full.json");
  return {
    sha256: sha256Hex(raw),
    lists: JSON.parse(raw.toString("utf8")) as Clinc150["lists"],
    published: parsed<IndexFile>("ten-example-catalogs.json").seeds,
    further: parsed<IndexFile>("further-catalogs.json").seeds,
  };
}

const words = (label: string): string => label.replaceAll("_", " ");

/**
 * The catalog of the published protocol: a name, "Workflow for NAME." and the given training texts as examples.
 * Built directly, not parsed: the label "w2" is shorter than a workflow id may be.
 */
export function catalogOf({ lists }: Clinc150, indices: ExampleIndices): Catalog {
  const workflows = Object.entries(indices).map(([label, examples]) =>
    aWorkflow({
      workflow_id: label,
      name: words(label),
      description: `Workflow for ${words(label)}.`,
      capabilities: [],
      examples: examples.map((index) => lists.train[index]?.[0] ?? ""),
    }),
  );
  return { catalog_version: "clinc150", sha256: sha256Hex(JSON.stringify(indices)), workflows };
}

/** Retrieval over all 150 workflows with the examples of one published seed. Takes seconds. */
export async function tenExampleRetrieval(seed: number): Promise<RetrievalResult> {
  const data = readClinc150(shared("data"));
  const indices = data.published[String(seed)];
  if (indices === undefined) throw new RangeError(`${seed} is none of the published seeds`);
  const retriever = await lexicalRetriever(catalogOf(data, indices).workflows);
  let first = 0;
  let amongFive = 0;
  for (const [text, label] of data.lists.test) {
    const ranking = await retriever.rank(text, unbounded);
    const rank = rankOf(ranking, ranking.workflowIds.indexOf(label));
    if (rank === 0) first += 1;
    if (rank < 5) amongFive += 1;
  }
  const requests = data.lists.test.length;
  return { seed, requests, top1: first / requests, recallAt5: amongFive / requests };
}

export const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

/** Sample standard deviation. */
export function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, v) => sum + (v - centre) ** 2, 0) / (values.length - 1));
}
