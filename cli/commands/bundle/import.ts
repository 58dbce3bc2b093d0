import type { WorkOf } from "../../command.js";
import type { bundleImportSpec } from "../../specs/bundle.js";
import { importRelease } from "../../../stages/export.js";

export const bundleImport: WorkOf<typeof bundleImportSpec> = async (context, args) => {
  const { out: directory, environment } = args;
  const { bundleId, entry } = await importRelease(context, args);
  return {
    result: { directory, bundle_id: bundleId, environment, entry },
    fields: [
      ["bundle", bundleId],
      ["folder", context.here(directory)],
      ["verdict", `approved for ${environment}`],
    ],
  };
};
