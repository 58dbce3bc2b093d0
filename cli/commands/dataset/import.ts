import { counted } from "../../../src/documents/number-text.js";
import { type DatasetOnRecord, importDataset } from "../../../stages/import.js";
import { shortId } from "../../../src/base/text.js";
import { type Field, fieldIf } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { datasetImportSpec } from "../../specs/dataset.js";

/** Maximum number of listed sources; --json lists all. */
const shownSources = 5;

export const datasetImport: WorkOf<typeof datasetImportSpec> = async (context, args) => {
  const { warnings, ...imported } = await importDataset(context, args);
  const dataset = shortId(imported.dataset);
  return {
    result: imported,
    fields: importFields(imported),
    warnings,
    next: [
      context.next("dataset", "split", "--dataset", dataset),
      context.next("dataset", "audit", "--dataset", dataset),
    ],
  };
};

const datasetText = ({ dataset, known_since: since }: DatasetImport): string =>
  since === null ? shortId(dataset) : `${shortId(dataset)}, unchanged since the import on ${since}`;

type DatasetImport = Omit<DatasetOnRecord, "warnings">;

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
