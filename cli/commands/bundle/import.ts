import type { WorkOf } from "../../command.js";
import type { bundleImportSpec } from "../../specs/bundle.js";
import { importRelease } from "../../../stages/export.js";

export const bundleImport: WorkOf<typeof bundleImportSpec> = async (context, args) => {
  const imported = await importRelease(context, args);
  return {
    result: imported,
    fields: [
      ["bundle", imported.bundle_id],
      ["folder", context.here(imported.directory)],
      ["verdict", `approved for ${imported.environment}`],
    ],
  };
};
