import type { WrittenFolder } from "../../../workbench/release/bundle-files/write-folder.js";
import { shellLine } from "../../shell-line.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { bundleExportShape } from "../../shapes/bundle.js";
import { exportRelease } from "../../../workbench/use-cases/export-release.js";

/** Result of `bundle export`; a bundle that does not hold is an error with exit code 4, and nothing is written. */
export interface BundleExport {
  readonly directory: string;
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly environment: string;
  readonly files: number;
  /** Names of the approval files. */
  readonly approvals: readonly string[];
}

export const bundleExport: WorkOf<typeof bundleExportShape> = async (context, args) => {
  const { bundle, tar, oci, replace, environment } = args;
  const exported = await exportRelease(context, {
    bundle,
    directory: args.out,
    tar,
    oci,
    replace,
    withRecords: args.withRecords,
    trustFile: args.trust,
    revocationsFile: args.revocations,
    environment,
  });
  const { directory } = exported;
  const result: BundleExport = {
    directory,
    bundle_id: exported.bundleId,
    bundle_version: exported.bundleVersion,
    environment,
    files: exported.files,
    approvals: exported.approvals,
  };
  const named = args.out === undefined ? [] : [args.out];
  const trust = args.trust === undefined ? [] : ["--trust", args.trust];
  return commandResult({
    schema: "bundle-export@1",
    result,
    lines: exportLines(result),
    warnings: leftBehindLines(directory, exported),
    next: [context.nextLine("bundle", "verify", ...named, ...trust)],
  });
};

/** What an export that was killed had left, in words. */
function leftBehindLines(directory: string, { restored, leftBehind }: WrittenFolder): readonly string[] {
  const back = `${directory} was missing because an interrupted export had moved it. It was restored, then replaced.`;
  const remove = shellLine(["rm", "-r", ...leftBehind]);
  return [
    ...(restored ? [back] : []),
    ...(leftBehind.length === 0
      ? []
      : [`left by an export that was interrupted or is still running; if it was interrupted: ${remove}`]),
  ];
}

/** The result in words. */
export function exportLines(bundle: BundleExport): readonly string[] {
  return fields([
    ["bundle", shortId(bundle.bundle_id)],
    ["version", bundle.bundle_version],
    ["folder", `${bundle.directory}: ${bundle.files} files`],
    ["approvals", bundle.approvals.join(", ")],
    ["verdict", `approved for ${bundle.environment}`],
  ]);
}
