import { counted } from "../../../src/documents/number-text.js";
import type { WorkOf } from "../../command.js";
import type { catalogExportSpec } from "../../specs/catalog.js";
import { exportCatalog } from "../../../stages/catalog.js";

export const catalogExport: WorkOf<typeof catalogExportSpec> = async (context, args) => {
  const { as: format, out } = args;
  const { name, catalog, text } = await exportCatalog(context, args);
  const workflows = catalog.workflows.length;
  const result = { catalog: name, sha256: catalog.sha256, format, workflows, file: out ?? null };
  if (out === undefined) {
    return { result: { ...result, content: text }, lines: text.replace(/\n$/, "").split("\n"), verbatim: true };
  }
  return {
    result: { ...result, content: null },
    fields: [
      ["catalog", `${name}: ${counted(workflows, "workflow")}`],
      ["written", context.here(out)],
    ],
    next: format === "csv" ? [] : [context.next("catalog", "lint", out)],
  };
};
