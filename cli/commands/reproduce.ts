import { toSnake } from "../../src/domain/camel.js";
import type { Reproduction } from "../../workbench/reproduction/reproduce-bundle.js";
import { defineCommand } from "../command.js";
import { optional, preset } from "../options.js";
import { choice, count, id } from "../parsers.js";
import { commandResult } from "../result.js";
import { reproductionLines } from "./reproduce/reproduction-lines.js";

export const reproduce = defineCommand({
  name: ["reproduce"],
  describe: "Derive the claim of a bundle again, and compare it with what was signed byte for byte",
  positionals: { bundle: optional(id, "bundle; the latest when absent") },
  options: {
    from: preset(choice("records", "scores"), "records", "start at the scored records, or score the dataset again"),
    workers: preset(count, "2", "inference threads"),
  },
  examples: [
    ["sluice reproduce", "fit, certify and evaluate the latest bundle again"],
    ["sluice reproduce 3f9c01ab --from scores", "another one; also score the dataset again"],
  ],
  run: async (context, { bundle, from, workers }) => {
    const { reproduceClaim } = await import("../../workbench/use-cases/reproduce-claim.js");
    const { platform, arch, node } = context.host;
    const found = await reproduceClaim(context, {
      bundle,
      from,
      platform: { platform, arch, node },
      workers: Math.max(1, workers),
    });
    return commandResult({
      schema: "reproduce@1",
      result: reproductionWire(found),
      lines: reproductionLines(found),
      exitCode: found.equal ? 0 : 4,
    });
  },
});

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
