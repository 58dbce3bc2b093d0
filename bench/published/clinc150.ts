import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../src/digest/sha256.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import { aWorkflow } from "../../test/support/builders.js";

/** Seeds of the published ten-example row. */
export const publishedSeeds = [11, 23, 37, 53, 71] as const;

/** Positions in the training list of the examples of each workflow, by label. */
export type ExampleIndices = Readonly<Record<string, readonly number[]>>;

type LabelledText = readonly [text: string, label: string];
type List = "train" | "val" | "test" | "oos_train" | "oos_val" | "oos_test";
interface IndexFile {
  readonly seeds: Readonly<Record<string, ExampleIndices>>;
}

/** CLINC150 as published: 150 labels, 100 / 20 / 30 texts each; 100 / 100 / 1,000 texts out of scope. */
export interface Clinc150 {
  /** SHA-256 of `data_full.json`. */
  readonly sha256: string;
  readonly lists: Readonly<Record<List, readonly LabelledText[]>>;
  readonly published: IndexFile["seeds"];
  readonly further: IndexFile["seeds"];
}

/** Reads the data set from the folder that holds `clinc150/`. */
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
      workflowId: label,
      name: words(label),
      description: `Workflow for ${words(label)}.`,
      capabilities: [],
      examples: examples.map((index) => lists.train[index]?.[0] ?? ""),
    }),
  );
  return { catalogVersion: "clinc150", sha256: sha256Hex(JSON.stringify(indices)), workflows };
}

/** Every training text of every label. */
export function allExamples({ lists }: Clinc150): ExampleIndices {
  const indices: Record<string, number[]> = {};
  for (const [index, [, label]] of lists.train.entries()) {
    const own = indices[label] ?? [];
    indices[label] = own;
    own.push(index);
  }
  return indices;
}

/** The texts of the given lists as requests; ids are `<list>-<position>`, label "oos" is out of scope. */
export function requestsOf({ lists }: Clinc150, names: readonly List[]): readonly LabelledRequest[] {
  return names.flatMap((name) =>
    lists[name].map(([text, label], position) => ({
      id: `${name}-${String(position).padStart(5, "0")}`,
      text,
      workflowId: label === "oos" ? null : label,
    })),
  );
}
