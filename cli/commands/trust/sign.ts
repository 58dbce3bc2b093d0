import { defineCommand } from "../../command.js";
import { optional, required } from "../../options.js";
import { path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { signingOptions, withSigning } from "../key/signing-key.js";

const suffix = ".dsse.json";

export const trustSign = defineCommand({
  name: ["trust", "sign"],
  describe: "Sign the next version of a trust policy as one of its roots",
  positionals: { file: required(path, "trust policy, or the envelope that other roots signed already") },
  options: {
    ...signingOptions,
    out: optional(path, "envelope to write; FILE.dsse.json, or FILE itself when it is one"),
  },
  examples: [
    ["sluice trust sign trust-2.json --key bo", "the first root writes trust-2.json.dsse.json"],
    ["sluice trust sign trust-2.json.dsse.json --key cy", "the second root adds a signature to it"],
  ],
  run: (context, args) =>
    withSigning(context, args, async (signing) => {
      const { signTrustPolicy } = await import("../../../src/artifacts/trust-chain.js");
      const { replaceFile } = await import("../../../src/artifacts/write-new-file.js");
      const bytes = await readInput(args.file);
      const signer = await signing.open();
      const out = args.out ?? (args.file.endsWith(suffix) ? args.file : `${args.file}${suffix}`);
      await replaceFile(out, await signTrustPolicy(bytes, signer), 0o644);
      return commandResult({
        schema: "trust-sign@1",
        result: { file: out, key_id: signer.keyId },
        lines: fields([
          ["file", out],
          ["signed with", signer.keyId],
        ]),
        next: [context.nextLine("trust", "update", out)],
      });
    }),
});
