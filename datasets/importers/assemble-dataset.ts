import { type CatalogFile, CatalogFileSchema } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { normaliseText } from "../near-duplicates.js";
import { exampleCount, draftWorkflow } from "../draft/draft-workflow.js";
import { workflowIdsFor } from "../draft/workflow-ids.js";
import type { ImportedDataset, ImportOptions } from "./imported-dataset.js";
import { groupBy } from "../../src/base/group-by.js";
import { checkSchema } from "../../src/documents/check-schema.js";

export type RowFields = Omit<LabelledRequest, "id" | "text" | "workflow_id">;

/** One labelled text of a source without a catalog; `intent` null means out of scope. */
export interface LabelledText {
  readonly id: string;
  readonly text: string;
  readonly intent: string | null;
  /** The published part; `train` if the source has no parts. */
  readonly part: "train" | "val" | "test";
  /** Further fields, apart from the slice `part`. */
  readonly fields?: RowFields;
}

export interface AssemblyOptions extends ImportOptions {
  /** Number of `train` texts per workflow that become catalog examples, 0 to 50. Default 10. */
  readonly examplesPerWorkflow?: number;
  /** Seed of the draws. Default 0. */
  readonly seed?: number;
  /** Maximum number of rows per workflow, drawn at random from all parts. Default: all. */
  readonly maxRowsPerWorkflow?: number;
  /** Maximum number of out-of-scope rows, drawn at random from all parts. Default: all. */
  readonly maxOutOfScopeRows?: number;
  /** Workflow ids by label from an earlier import. Default: none. */
  readonly knownIds?: ReadonlyMap<string, WorkflowId>;
}

/** Workflow id of each distinct intent, intents ascending. */
export function idsOfIntents(
  texts: readonly { readonly intent: string | null }[],
  known: ReadonlyMap<string, WorkflowId> | undefined,
): ReadonlyMap<string, WorkflowId> {
  return workflowIdsFor(texts.flatMap(({ intent }) => (intent === null ? [] : [intent])).sort(), known);
}

/** The first known label with the same id, for each known label of these texts. */
function firstOfId(
  texts: readonly LabelledText[],
  known: ReadonlyMap<string, WorkflowId>,
): ReadonlyMap<string, string> {
  const found = new Set(texts.map(({ intent }) => intent));
  const listed = [...known].filter(([label]) => found.has(label));
  const first = new Map(listed.toReversed().map(([label, id]) => [id, label]));
  return new Map(listed.map(([label, id]) => [label, first.get(id) ?? label]));
}

/** How the catalog is made. Default: as `init` drafts it. */
export interface CatalogStyle {
  readonly catalogOf: (input: CatalogInput) => CatalogFile;
  /** Whether each workflow gets the same number of examples; otherwise at most two fifths of its texts are examples. */
  readonly sameExamples: boolean;
}

/**
 * Turns labelled texts into a dataset and a catalog. Examples of the catalog are drawn from `train`; every row
 * with the text of an example (compared by `normaliseText`, in any part and under any label) is left out, so that no
 * request is itself a catalog example. Out-of-scope rows have `group_id` null because the benchmarks publish no groups,
 * so each is a cluster of its own. `slices.part` is the published part.
 */
export function assembleDataset(
  name: string,
  found: readonly LabelledText[],
  options: AssemblyOptions,
  { catalogOf, sameExamples }: CatalogStyle = { catalogOf: draftedCatalog, sameExamples: false },
): Pick<ImportedDataset, "rows" | "workflowIds"> & { readonly catalog: CatalogFile } {
  const seed = options.seed ?? 0;
  const first = firstOfId(found, options.knownIds ?? new Map());
  const texts = found.map((text) => ({ ...text, intent: first.get(text.intent ?? "") ?? text.intent }));
  const workflowIds = idsOfIntents(texts, options.knownIds);
  const limit = options.examplesPerWorkflow ?? 10;
  const hasParts = texts.some(({ part }) => part !== "train");
  const count = (own: number): number => (sameExamples || hasParts ? limit : Math.min(limit, exampleCount(own)));
  const examples = drawExamples(texts, [...workflowIds.keys()], count, seed);
  const used = new Set([...examples.values()].flat().map(normaliseText));
  const unused = texts.filter((t) => !used.has(normaliseText(t.text)));
  const rows = limitRows(unused, options, seed).map((t) => ({
    id: t.id,
    text: t.text,
    workflow_id: t.intent === null ? null : (workflowIds.get(t.intent) ?? null),
    group_id: null,
    ...t.fields,
    slices: { part: t.part, ...t.fields?.slices },
  }));
  return { rows, workflowIds, catalog: catalogOf({ name, seed, workflowIds, examples }) };
}

const intentOf = ({ intent }: Pick<LabelledText, "intent">): string | null => intent;

/** Draws distinct `train` texts per intent; `count` maps the number of texts to the number to draw. */
function drawExamples(
  texts: readonly LabelledText[],
  intents: readonly string[],
  count: (distinct: number) => number,
  seed: number,
): ReadonlyMap<string, readonly string[]> {
  const random = seededRandom(seed);
  const train = groupBy(
    texts.filter((t) => t.part === "train"),
    intentOf,
  );
  return new Map(
    intents.map((intent) => {
      const distinct = new Map((train.get(intent) ?? []).map((t) => [normaliseText(t.text), t.text]));
      return [intent, random.shuffle([...distinct.values()]).slice(0, count(distinct.size))];
    }),
  );
}

/** Draws a seeded sample per workflow and of the out-of-scope rows; keeps the order of the rows. */
export function limitRows<T extends Pick<LabelledText, "intent">>(
  texts: readonly T[],
  options: AssemblyOptions,
  seed: number,
): readonly T[] {
  const random = seededRandom(seed);
  const kept = new Set<T>();
  for (const [intent, group] of groupBy(texts, intentOf)) {
    const limit = (intent === null ? options.maxOutOfScopeRows : options.maxRowsPerWorkflow) ?? group.length;
    const sample = limit < group.length ? random.shuffle(group).slice(0, limit) : group;
    for (const text of sample) kept.add(text);
  }
  return texts.filter((text) => kept.has(text));
}

export interface CatalogInput {
  readonly name: string;
  readonly seed: number;
  /** Intent to workflow id, intents ascending. */
  readonly workflowIds: ReadonlyMap<string, WorkflowId>;
  readonly examples: ReadonlyMap<string, readonly string[]>;
}

/**
 * Catalog drafted from labels, as by `init`: a single tier, and workflows that write and need confirmation until a
 * person changes that. It has no owners.
 * @throws {SluiceError} DOCUMENT_INVALID  an intent or an example that a catalog cannot contain
 */
function draftedCatalog({ name, seed, workflowIds, examples }: CatalogInput): CatalogFile {
  const workflows = [...workflowIds].map(([label, workflowId]) =>
    draftWorkflow({
      workflowId,
      label,
      source: null,
      examples: examples.get(label) ?? [],
      owner: null,
      tier: "medium",
    }),
  );
  const catalog = { schema_version: 1, catalog_version: `${name}-draft-seed-${seed}`, workflows };
  return checkSchema(CatalogFileSchema, catalog, `catalog of ${name}`);
}
