import { counted } from "../../../src/documents/number-text.js";
import type { WorkOf } from "../../command.js";
import type { catalogExportSpec } from "../../specs/catalog.js";
import { catalogSource } from "../../../stages/catalog/catalog-source.js";
import { exportCatalog } from "../../../stages/catalog/export-catalog.js";
import { writeNewFile } from "../../../src/base/files.js";

export const catalogExport: WorkOf<typeof catalogExportSpec> = async (
  context,
  { catalog: wanted, as: format, out },
) => {
  const { name, file, catalog } = await catalogSource(context, wanted);
  const text = exportCatalog(file, format);
  const workflows = file.workflows.length;
  const result = { catalog: name, sha256: catalog.sha256, format, workflows, file: out ?? null };
  if (out === undefined) {
    return { result: { ...result, content: text }, lines: text.replace(/\n$/, "").split("\n"), verbatim: true };
  }
  await writeNewFile(out, Buffer.from(text), 0o644);
  return {
    result: { ...result, content: null },
    fields: [
      ["catalog", `${name}: ${counted(workflows, "workflow")}`],
      ["written", out],
    ],
    next: format === "csv" ? [] : [context.nextLine("catalog", "lint", out)],
  };
};
