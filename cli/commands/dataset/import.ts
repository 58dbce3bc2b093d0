import type { BadRow } from "../../../datasets/bad-rows.js";
import type { DataSource } from "../../../datasets/importers/imported-dataset.js";
import type { Catalog } from "../../../src/domain/catalog.js";
import type { LabelledRequest } from "../../../src/domain/dataset.js";
import type { Reference } from "../../../workbench/records/reference.js";
import { type DatasetOnRecord, importDataset } from "../../../workbench/use-cases/import-dataset.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import type { Kept } from "../../../workbench/records/read-records.js";
import { fields } from "../../table.js";
import { productionWarnings } from "../../../workbench/catalog/production-warnings.js";
import { sourceOptions } from "./import-options.js";
import type { WorkOf } from "../../command.js";
import type { datasetImportShape } from "../../shapes/dataset.js";

/** Sources that are listed; --json has all. */
const shownSources = 5;

/** Problems of the catalog that are written out. */
const shownProblems = 5;

/** Result of `dataset import`. */
export interface DatasetImport {
  readonly dataset: string;
  /** When the same rows were imported first; null for a new dataset. */
  readonly known_since: string | null;
  readonly catalog: string | null;
  readonly requests: number;
  readonly out_of_scope: number;
  readonly workflows: number;
  readonly sources: readonly DataSource[];
  /** Faults of the rows that were left out. */
  readonly bad_rows: readonly BadRow[];
  /** Rows that were left out because they nearly repeat another. */
  readonly repeated_left_out: number;
  /** Texts of the source that became examples of the catalog that was made from it; 0 when none was made. */
  readonly catalog_examples: number;
  /** Workflow ids by label, of the labels that are no workflow ids themselves. */
  readonly mapped_labels: Readonly<Record<string, string>>;
}

export const datasetImport: WorkOf<typeof datasetImportShape> = async (context, args) => {
  const imported = await importDataset(context, {
    source: { kind: "file", path: args.file, format: args.format, idsFile: args.idsFile, ...sourceOptions(args) },
    catalog: args.catalog,
    dropRepeated: args.dropRepeated,
  });
  const { datasetId, catalog, badRows } = imported;
  const result = summarise(imported);
  return commandResult({
    schema: "dataset-import@1",
    result,
    lines: importLines(result),
    warnings: [
      ...leftOut(badRows),
      ...(catalog === null ? noCatalog : unknownLabels(imported.requests, catalog.document)),
      ...(catalog === null ? [] : await unready(catalog, args.catalog)),
    ],
    next: [
      context.nextLine("dataset", "split", "--dataset", shortId(datasetId)),
      context.nextLine("dataset", "audit", "--dataset", shortId(datasetId)),
    ],
  });
};

function summarise({ requests, catalog, badRows, ...imported }: DatasetOnRecord): DatasetImport {
  const labels = requests.flatMap((row) => (row.workflowId === null ? [] : [row.workflowId]));
  return {
    dataset: imported.datasetId,
    known_since: imported.knownSince,
    catalog: catalog === null ? null : catalog.sha256,
    requests: requests.length,
    out_of_scope: requests.length - labels.length,
    workflows: new Set(labels).size,
    sources: imported.sources,
    bad_rows: badRows,
    repeated_left_out: imported.repeatedLeftOut,
    catalog_examples: imported.catalogExamples,
    mapped_labels: imported.mappedLabels,
  };
}

const noCatalog = ["no catalog: splitting requires the catalog of these labels (--catalog FILE, or --draft-catalog)"];

/** Found here, before anybody works with a catalog that cannot be signed. */
function unready({ document, bytes }: Kept<Catalog>, named: Reference | undefined): Promise<readonly string[]> {
  const name = named?.kind === "file" ? named.path : `catalog ${document.catalogVersion}`;
  return productionWarnings({ catalog: document, bytes, name }, shownProblems);
}

function leftOut(badRows: readonly BadRow[]): readonly string[] {
  const places = [...new Set(badRows.map(({ file, at }) => `${file} ${at}`))];
  return places.length === 0 ? [] : [`skipped ${places.length} invalid rows (${places.join(", ")})`];
}

function unknownLabels(rows: readonly LabelledRequest[], catalog: Catalog): readonly string[] {
  const known = new Set(catalog.workflows.map((workflow) => workflow.workflowId));
  const strange = rows.filter((row) => row.workflowId !== null && !known.has(row.workflowId)).length;
  return strange === 0
    ? []
    : [`${strange} requests have labels that are missing from catalog ${catalog.catalogVersion}`];
}

const datasetText = ({ dataset, known_since: since }: DatasetImport): string =>
  since === null ? shortId(dataset) : `${shortId(dataset)}, unchanged since the import on ${since}`;

/** Labels that are written out; --json and --ids-file have all. */
const shownLabels = 5;

function idFields(mapped: DatasetImport["mapped_labels"]): readonly (readonly [string, string])[] {
  const pairs = Object.entries(mapped);
  const hidden = pairs.length - shownLabels;
  return [
    ...pairs.slice(0, shownLabels).map(([label, id]): readonly [string, string] => ["id", `${label} -> ${id}`]),
    ...(hidden > 0 ? ([["id", `and ${hidden} more; --ids-file FILE writes them all`]] as const) : []),
  ];
}

/** The result in words. */
export function importLines(imported: DatasetImport): readonly string[] {
  const { requests, workflows, out_of_scope: outOfScope } = imported;
  const hidden = imported.sources.length - shownSources;
  return fields([
    ["dataset", datasetText(imported)],
    ["catalog", imported.catalog === null ? "none" : shortId(imported.catalog)],
    ["requests", `${requests}: ${requests - outOfScope} of ${workflows} workflows, ${outOfScope} out of scope`],
    ...(imported.repeated_left_out === 0
      ? []
      : ([["left out", `${imported.repeated_left_out} near-duplicates`]] as const)),
    ...(imported.catalog_examples === 0
      ? []
      : ([
          [
            "examples",
            `${imported.catalog_examples} further texts, as examples of the drafted catalog (--examples-per-workflow)`,
          ],
        ] as const)),
    ...idFields(imported.mapped_labels),
    ...imported.sources
      .slice(0, shownSources)
      .map(({ file, licence }): readonly [string, string] => ["source", `${file} (${licence ?? "no licence stated"})`]),
    ...(hidden > 0 ? ([["source", `and ${hidden} more`]] as const) : []),
  ]);
}
