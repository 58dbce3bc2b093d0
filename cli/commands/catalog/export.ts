import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { catalogExportShape } from "../../shapes/catalog.js";
import { catalogSource } from "../../../workbench/catalog/catalog-source.js";
import { exportCatalog } from "../../../workbench/catalog/export-catalog.js";
import { writeNewFile } from "../../../src/artifacts/write-new-file.js";

export const catalogExport: WorkOf<typeof catalogExportShape> = async (context, args) => {
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
};
