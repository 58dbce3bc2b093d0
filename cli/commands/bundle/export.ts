import type { WrittenFolder } from "../../../src/artifacts/write-folder.js";
import { defineCommand } from "../../command.js";
import { flag, optional, preset } from "../../options.js";
import { id, name, path } from "../../parsers.js";
import { shellLine } from "../../shell-line.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

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

export const bundleExport = defineCommand({
  name: ["bundle", "export"],
  describe: "Write an approved bundle into a folder, whole or not at all",
  positionals: {},
  options: {
    bundle: optional(id, "bundle; the latest when absent"),
    out: optional(path, "folder to write; bundle/ of the workspace when absent"),
    tar: optional(path, "archive to write beside the folder; equal bundles give equal bytes"),
    oci: optional(path, "folder for an OCI image layout of the same files, for a registry"),
    replace: flag("exchange a folder that exists"),
    trust: optional(path, "trust policy; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
    environment: preset(name, "production", "environment for which the bundle must be approved"),
  },
  examples: [
    ["sluice bundle export", "the latest bundle, into the workspace"],
    ["sluice bundle export --bundle 3f9c01ab --out /srv/bundle --replace", "where a server reads it"],
  ],
  run: async (context, args) => {
    const { exportRelease } = await import("../../../workbench/use-cases/export-release.js");
    const { bundle, tar, oci, replace, environment } = args;
    const exported = await exportRelease(context, {
      bundle,
      directory: args.out,
      tar,
      oci,
      replace,
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
  },
});

/** What an export that was killed had left, in words. */
function leftBehindLines(directory: string, { restored, leftBehind }: WrittenFolder): readonly string[] {
  const back = `${directory} was missing: an export that was killed had moved it away. It was put back, then replaced.`;
  const remove = shellLine(["rm", "-r", ...leftBehind]);
  return [
    ...(restored ? [back] : []),
    ...(leftBehind.length === 0
      ? []
      : [`left by an export that was killed or still runs; if it was killed: ${remove}`]),
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
