import { defineCommand } from "../../command.js";
import { optional, preset, required } from "../../options.js";
import { name, path } from "../../parsers.js";
import { readInput } from "../../read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { readRevocations } from "./read-revocations.js";
import { readTrust } from "./read-trust.js";

export const bundleImport = defineCommand({
  name: ["bundle", "import"],
  describe: "Unpack an archive into a folder when it verifies, whole or not at all",
  positionals: { archive: required(path, "archive that bundle export --tar wrote") },
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
    const { importBundle } = await import("../../../src/artifacts/import-bundle.js");
    const { verifyBundle } = await import("../../../src/artifacts/verify/verify-bundle.js");
    const question = {
      trustPolicyBytes: await readTrust(context, args.trust),
      revocationBytes: await readRevocations(context, args),
      environment: args.environment,
      now: new Date(context.clock()),
    };
    let bundleId = "";
    await importBundle({
      archive: await readInput(args.archive),
      directory: args.out,
      check: async (staged) => {
        bundleId = (await verifyBundle({ directory: staged, ...question })).bundleId;
      },
    });
    return commandResult({
      schema: "bundle-import@1",
      result: { directory: args.out, bundle_id: bundleId, environment: args.environment },
      lines: fields([
        ["bundle", bundleId],
        ["folder", args.out],
        ["verdict", `approved for ${args.environment}`],
      ]),
    });
  },
});
