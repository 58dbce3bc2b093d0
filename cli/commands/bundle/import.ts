import { SluiceError } from "../../../src/errors/error.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { readPacked } from "../../../workbench/release/bundle-files/read-packed.js";
import { readRevocations } from "../../../workbench/release/read-revocations.js";
import { readTrust } from "../../../workbench/release/read-trust.js";
import type { WorkOf } from "../../command.js";
import type { bundleImportShape } from "../../shapes/bundle.js";
import { writeFolder } from "../../../workbench/release/bundle-files/write-folder.js";
import { verifyBundle } from "../../../src/artifacts/verify/verify-bundle.js";
import { requireStart } from "../../../src/routing/start/start-checks.js";
import { keepSigned } from "../../../workbench/release/keep-signed.js";
import { importRecord } from "../../../workbench/release/import-record.js";

export const bundleImport: WorkOf<typeof bundleImportShape> = async (context, args) => {
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
};

function notPacked(file: string): SluiceError {
  return new SluiceError("FILE_NOT_FOUND", `${file}: neither an archive nor an OCI layout`, {
    hint: "Check the path. A folder from bundle export --out needs no import.",
  });
}
