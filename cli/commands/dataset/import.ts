import type { DataSource, ImportedDataset } from "../../../datasets/importers/imported-dataset.js";
import type { Catalog } from "../../../src/domain/catalog.js";
import type { LabelledRequest } from "../../../src/domain/dataset.js";
import type { History } from "../../../src/history/open.js";
import { defineCommand } from "../../command.js";
import { optional, preset, required } from "../../options.js";
import { choice, count, path, type Reference, reference, seed } from "../../parsers.js";
import { catalogOf, withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult } from "../../result.js";
import type { Kept } from "../../stages/read-records.js";
import { fields } from "../../table.js";
import { datasetFormats, readSource } from "./read-source.js";

/** Result of `dataset import`. */
export interface DatasetImport {
  readonly dataset: string;
  readonly catalog: string | null;
  readonly requests: number;
  readonly out_of_scope: number;
  readonly workflows: number;
  readonly sources: readonly DataSource[];
}

export const datasetImport = defineCommand({
  name: ["dataset", "import"],
  describe: "Import labelled requests, and their catalog, into the history",
  positionals: { file: required(path, "file to import; for banking77 the folder of train.csv and test.csv") },
  options: {
    format: required(choice(...datasetFormats), "format of the file"),
    catalog: optional(reference, "catalog of the labels; benchmarks bring one of their own"),
    "examples-per-workflow": preset(count, "10", "benchmarks: training texts that become catalog examples"),
    "max-rows-per-workflow": optional(count, "benchmarks: keep a seeded sample of each workflow"),
    "max-out-of-scope": optional(count, "benchmarks: keep a seeded sample of the out-of-scope texts"),
    seed: preset(seed, "0", "benchmarks: seed of the samples"),
  },
  examples: [
    ["sluice dataset import requests.jsonl --format jsonl --catalog catalog.yaml", "own requests"],
    ["sluice dataset import data_full.json --format clinc150", "a published benchmark"],
  ],
  run: async (context, args) => {
    const imported = await readSource(args.file, args.format, {
      examplesPerWorkflow: args.examplesPerWorkflow,
      seed: args.seed,
      ...(args.maxRowsPerWorkflow === undefined ? {} : { maxRowsPerWorkflow: args.maxRowsPerWorkflow }),
      ...(args.maxOutOfScope === undefined ? {} : { maxOutOfScopeRows: args.maxOutOfScope }),
    });
    return withHistory(context, "write", async (stage) => {
      const { keepDataset } = await import("../../stages/keep-dataset.js");
      const { keepRecord, media } = await import("../../stages/stage.js");
      const catalog = await catalogFor(stage.history, imported, args.catalog);
      if (catalog !== null) keepRecord(stage, "catalog", { bytes: catalog.bytes, media: media.yaml });
      const dataset = keepDataset(stage, imported.rows, { format: args.format, sources: imported.sources });
      const result = summarise(dataset, imported, catalog);
      return commandResult({
        schema: "dataset-import@1",
        result,
        lines: importLines(result),
        warnings: catalog === null ? [] : unknownLabels(imported.rows, catalog.document),
        next: [
          context.nextLine("dataset", "split", "--dataset", shortId(dataset)),
          context.nextLine("dataset", "audit", "--dataset", shortId(dataset)),
        ],
      });
    });
  },
});

/** The catalog that the caller named, else the one that the source brought, else none. */
async function catalogFor(
  history: History,
  imported: ImportedDataset,
  named: Reference | undefined,
): Promise<Kept<Catalog> | null> {
  if (named !== undefined) return catalogOf(history, named);
  if (imported.catalog === null) return null;
  const { parseCatalog } = await import("../../../src/catalog/load.js");
  const bytes = Buffer.from(`${JSON.stringify(imported.catalog, null, 2)}\n`, "utf8");
  const document = parseCatalog(bytes, "the catalog of the source");
  return { sha256: document.sha256, bytes, document };
}

function summarise(dataset: string, imported: ImportedDataset, catalog: Kept<Catalog> | null): DatasetImport {
  const labels = imported.rows.flatMap((row) => (row.workflowId === null ? [] : [row.workflowId]));
  return {
    dataset,
    catalog: catalog === null ? null : catalog.sha256,
    requests: imported.rows.length,
    out_of_scope: imported.rows.length - labels.length,
    workflows: new Set(labels).size,
    sources: imported.sources,
  };
}

function unknownLabels(rows: readonly LabelledRequest[], catalog: Catalog): readonly string[] {
  const known = new Set(catalog.workflows.map((workflow) => workflow.workflowId));
  const strange = rows.filter((row) => row.workflowId !== null && !known.has(row.workflowId)).length;
  return strange === 0 ? [] : [`${strange} requests name workflows that catalog ${catalog.catalogVersion} lacks`];
}

/** The result in words. */
export function importLines(imported: DatasetImport): readonly string[] {
  const { requests, workflows, out_of_scope: outOfScope } = imported;
  return fields([
    ["dataset", shortId(imported.dataset)],
    ["catalog", imported.catalog === null ? "none" : shortId(imported.catalog)],
    ["requests", `${requests}: ${requests - outOfScope} of ${workflows} workflows, ${outOfScope} out of scope`],
    ...imported.sources.map(({ file, licence }): readonly [string, string] => [
      "source",
      `${file} (${licence ?? "no licence stated"})`,
    ]),
  ]);
}
