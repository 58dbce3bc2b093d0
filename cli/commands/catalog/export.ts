import { exportForms } from "../../../workbench/catalog/export-catalog.js";
import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { choice, path, reference } from "../../parsers.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const catalogExport = defineCommand({
  name: ["catalog", "export"],
  describe: "Write a catalog out, to edit it or to use its examples elsewhere",
  positionals: { catalog: optional(reference, "catalog; the latest of the history by default") },
  options: {
    as: preset(choice(...exportForms), "yaml", "yaml and json hold all of it, csv the examples"),
    out: optional(path, "file to write; it must not exist. Without it the catalog is the output"),
  },
  examples: [
    ["sluice catalog export --out catalog.yaml", "the catalog that an import made, with a comment for each field"],
    ["sluice catalog export catalog.yaml --as csv --out examples.csv", "text and workflow_id of every example"],
  ],
  run: async (context, args) => {
    const { catalogSource } = await import("../../../workbench/catalog/catalog-source.js");
    const { exportCatalog } = await import("../../../workbench/catalog/export-catalog.js");
    const { name, file, catalog } = await catalogSource(context, args.catalog);
    const text = exportCatalog(file, args.as);
    const result = {
      catalog: name,
      sha256: catalog.sha256,
      format: args.as,
      workflows: file.workflows.length,
      file: args.out ?? null,
    };
    if (args.out === undefined) {
      return commandResult({
        schema: "catalog-export@1",
        result: { ...result, content: text },
        lines: text.replace(/\n$/, "").split("\n"),
        verbatim: true,
      });
    }
    const { writeNewFile } = await import("../../../src/artifacts/write-new-file.js");
    await writeNewFile(args.out, Buffer.from(text), 0o644);
    return commandResult({
      schema: "catalog-export@1",
      result: { ...result, content: null },
      lines: fields([
        ["catalog", `${name}: ${file.workflows.length} workflows`],
        ["written", args.out],
      ]),
      next: args.as === "csv" ? [] : [context.nextLine("catalog", "lint", args.out)],
    });
  },
});
