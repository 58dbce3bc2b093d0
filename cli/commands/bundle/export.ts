import { counted } from "../../../src/documents/number-text.js";
import type { WrittenFolder } from "../../../release/bundle-files/write-folder.js";
import { shellLine } from "../../../src/base/invocation.js";
import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { bundleExportSpec } from "../../specs/bundle.js";
import { exportRelease } from "../../../stages/export.js";

export const bundleExport: WorkOf<typeof bundleExportSpec> = async (context, args) => {
  const { out, trust } = args;
  const exported = await exportRelease(context, args);
  const { directory, bundle_id: bundleId, bundle_version: bundleVersion, environment, approvals } = exported;
  const named = [...(out === undefined ? [] : [out]), ...(trust === undefined ? [] : ["--trust", trust])];
  return {
    result: exported,
    fields: [
      ["bundle", shortId(bundleId)],
      ["version", bundleVersion],
      ["folder", `${context.here(directory)}: ${counted(exported.files, "file")}`],
      ["approvals", approvals.join(", ")],
      ["verdict", `approved for ${environment}`],
    ],
    warnings: leftBehindLines(context.here(directory), exported),
    next: [context.next("bundle", "verify", ...named)],
  };
};

function leftBehindLines(directory: string, { restored, left_behind: leftBehind }: WrittenFolder): readonly string[] {
  const back = `${directory} was missing because an interrupted export had moved it. It was restored, then replaced.`;
  const left = `an export that was interrupted or is still running left folders behind; if it was interrupted, remove them: ${shellLine(["rm", "-r", ...leftBehind])}`;
  return [...(restored ? [back] : []), ...(leftBehind.length === 0 ? [] : [left])];
}
