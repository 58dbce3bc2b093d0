import { toSnake } from "../../src/domain/camel.js";
import type { Reproduction } from "../../workbench/reproduction/reproduce-bundle.js";
import { readPacked } from "../../workbench/release/bundle-files/read-packed.js";
import { reproductionLines } from "./reproduce/reproduction-lines.js";
import type { WorkOf } from "../command.js";
import type { reproduceShape } from "../shapes/reproduce.js";
import { reproduceClaim } from "../../workbench/use-cases/reproduce-claim.js";

export const reproduce: WorkOf<typeof reproduceShape> = async (context, { bundle, from, workers }) => {
  const { platform, arch, node } = context.host;
  const directory = bundle?.kind === "file" ? bundle.path : undefined;
  const found = await reproduceClaim(context, {
    bundle: bundle?.kind === "id" ? bundle.id : undefined,
    place: directory === undefined ? undefined : { directory, files: await readPacked(directory) },
    from,
    platform: { platform, arch, node },
    workers: Math.max(1, workers),
  });
  return {
    result: reproductionWire(found),
    lines: reproductionLines(found),
    exitCode: found.equal ? 0 : 4,
    // The files were compared with the manifest; who signed it needs a trust policy.
    next: directory === undefined ? [] : [context.nextLine("bundle", "verify", directory)],
  };
};

/** Values of differing fields are parts of signed documents and keep their own names. */
function reproductionWire({ compared, ...rest }: Reproduction) {
  return {
    ...toSnake<Record<string, unknown>>(rest),
    compared: compared.map(({ name, signedSha256, derivedSha256, equal, differences }) => ({
      name,
      signed_sha256: signedSha256,
      derived_sha256: derivedSha256,
      equal,
      differences,
    })),
  };
}
