import { SluiceError } from "../../../src/errors/error.js";
import { defineCommand } from "../../command.js";
import { optional, preset, required } from "../../options.js";
import { name, path } from "../../parsers.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { readPacked } from "./read-packed.js";
import { readRevocations } from "../../../workbench/release/read-revocations.js";
import { readTrust } from "../../../workbench/release/read-trust.js";

export const bundleImport = defineCommand({
  name: ["bundle", "import"],
  describe: "Unpack an archive or an OCI layout into a folder when it verifies, whole or not at all",
  positionals: { archive: required(path, "what bundle export --tar or --oci wrote") },
  options: {
    out: required(path, "folder to create"),
    trust: optional(path, "trust policy; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
    environment: preset(name, "production", "environment for which the bundle must be approved"),
  },
  examples: [
    ["sluice bundle import bundle.tar --out /srv/bundle --trust /etc/sluice/trust.json", "on the machine of a server"],
    ["sluice bundle import bundle.tar --out trial --environment staging", "for another environment"],
  ],
  run: async (context, args) => {
    const { writeFolder } = await import("../../../src/artifacts/write-folder.js");
    const { verifyBundle } = await import("../../../src/artifacts/verify/verify-bundle.js");
    const { requireStart } = await import("../../../src/routing/start/start-checks.js");
    const question = {
      trustPolicyBytes: await readTrust(context, args.trust),
      revocationBytes: await readRevocations(context, args),
      environment: args.environment,
      now: new Date(context.clock()),
    };
    let bundleId = "";
    const files = await readPacked(args.archive);
    if (files === null) throw notPacked(args.archive);
    await writeFolder({
      files,
      directory: args.out,
      check: async (staged) => {
        const verified = await verifyBundle({ directory: staged, ...question });
        requireStart(verified);
        bundleId = verified.bundleId;
      },
    });
    const { keepSigned } = await import("../../../workbench/release/keep-signed.js");
    const { importRecord } = await import("../../../workbench/release/import-record.js");
    const bytes = importRecord(bundleId, args.environment, files);
    const kept = await keepSigned(context, { kind: "import", actor: context.actor, bytes });
    return commandResult({
      schema: "bundle-import@1",
      result: { directory: args.out, bundle_id: bundleId, environment: args.environment, entry: kept.entry },
      warnings: kept.warnings,
      lines: fields([
        ["bundle", bundleId],
        ["folder", args.out],
        ["verdict", `approved for ${args.environment}`],
      ]),
    });
  },
});

function notPacked(file: string): SluiceError {
  return new SluiceError("FILE_NOT_FOUND", `${file}: neither an archive nor an OCI layout`, {
    hint: "Check the path; a folder that bundle export --out wrote needs no import.",
  });
}
