import { counted } from "../../../src/documents/number-text.js";
import type { BadRow } from "../../../datasets/bad-rows.js";
import type { Catalog } from "../../../src/documents/catalog.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";
import { type DatasetOnRecord, importDataset } from "../../../stages/import.js";
import { shortId } from "../../../src/base/text.js";
import { type Field, fieldIf } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { datasetImportSpec } from "../../specs/dataset.js";

/** Maximum number of listed sources; --json lists all. */
const shownSources = 5;

export const datasetImport: WorkOf<typeof datasetImportSpec> = async (context, args) => {
  const imported = await importDataset(context, args);
  const { datasetId, catalog, badRows } = imported;
  const result = summarise(imported);
  return {
    result,
    fields: importFields(result),
    warnings: [
      ...leftOut(badRows),
      ...(catalog === null ? noCatalog : unknownLabels(imported.requests, catalog.document)),
      ...imported.notReady,
    ],
    next: [
      context.next("dataset", "split", "--dataset", shortId(datasetId)),
      context.next("dataset", "audit", "--dataset", shortId(datasetId)),
    ],
  };
};

function summarise({ requests, catalog, badRows, ...imported }: DatasetOnRecord) {
  const labels = requests.flatMap((row) => (row.workflow_id === null ? [] : [row.workflow_id]));
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

function leftOut(badRows: readonly BadRow[]): readonly string[] {
  const places = [...new Set(badRows.map(({ file, at }) => `${file} ${at}`))];
  return places.length === 0 ? [] : [`skipped ${counted(places.length, "invalid row")} (${places.join(", ")})`];
}

function unknownLabels(rows: readonly LabelledRequest[], catalog: Catalog): readonly string[] {
  const known = new Set(catalog.workflows.map((workflow) => workflow.workflow_id));
  const strange = rows.filter((row) => row.workflow_id !== null && !known.has(row.workflow_id)).length;
  return strange === 0
    ? []
    : [
        `${counted(strange, "request has a label that is", "requests have labels that are")} missing from catalog ${catalog.catalog_version}`,
      ];
}

const datasetText = ({ dataset, known_since: since }: DatasetImport): string =>
  since === null ? shortId(dataset) : `${shortId(dataset)}, unchanged since the import on ${since}`;

type DatasetImport = ReturnType<typeof summarise>;

/** Maximum number of listed labels; --json and --ids-file list all. */
const shownLabels = 5;

function idFields(mapped: DatasetImport["mapped_labels"]): readonly Field[] {
  const pairs = Object.entries(mapped);
  const hidden = pairs.length - shownLabels;
  return [
    ...pairs.slice(0, shownLabels).map(([label, id]): Field => ["id", `${label} -> ${id}`]),
    ...fieldIf(hidden > 0, ["id", `and ${hidden} more; --ids-file FILE writes them all`]),
  ];
}

function importFields(imported: DatasetImport): readonly Field[] {
  const { requests, workflows, out_of_scope: outOfScope, repeated_left_out: repeated, sources } = imported;
  const { catalog, catalog_examples: examples } = imported;
  const hidden = sources.length - shownSources;
  const shown = sources.slice(0, shownSources);
  return [
    ["dataset", datasetText(imported)],
    ["catalog", catalog === null ? "none" : shortId(catalog)],
    [
      "requests",
      `${requests}: ${requests - outOfScope} of ${counted(workflows, "workflow")}, ${outOfScope} out of scope`,
    ],
    ...fieldIf(repeated > 0, ["left out", counted(repeated, "near-duplicate")]),
    ...fieldIf(examples > 0, [
      "examples",
      `${examples} further texts, as examples of the drafted catalog (--examples-per-workflow)`,
    ]),
    ...idFields(imported.mapped_labels),
    ...shown.map(({ file, licence }): Field => ["source", `${file} (${licence ?? "no licence stated"})`]),
    ...fieldIf(hidden > 0, ["source", `and ${hidden} more`]),
  ];
}
