import { catalogYaml } from "../../datasets/draft/catalog-yaml.js";
import { csvLine } from "../../datasets/tables/csv-line.js";
import type { ExportForm } from "../choices.js";
import type { CatalogFile } from "../../src/documents/catalog.js";

/**
 * A catalog as a file: YAML and JSON hold all of it and are read back; CSV holds the examples, one line each, with the
 * columns text and workflow_id that every importer recognises.
 */
export function exportCatalog(file: CatalogFile, form: ExportForm): string {
  switch (form) {
    case "yaml":
      return catalogYaml(file);
    case "json":
      return `${JSON.stringify(file, null, 2)}\n`;
    case "csv":
      return exampleLines(file);
  }
}

function exampleLines({ workflows }: CatalogFile): string {
  const rows = workflows.flatMap(({ workflow_id: id, examples = [] }) => examples.map((text) => [text, id]));
  return `${[["text", "workflow_id"], ...rows].map(csvLine).join("\n")}\n`;
}
