import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { withSigning } from "../key/signing-key.js";
import type { WorkOf } from "../../command.js";
import type { trustSignShape } from "../../shapes/trust.js";
import { signTrustPolicy } from "../../../workbench/release/trust-chain.js";
import { replaceFile } from "../../../src/artifacts/write-new-file.js";

const suffix = ".dsse.json";

export const trustSign: WorkOf<typeof trustSignShape> = (context, args) =>
  withSigning(context, args, async (signing) => {
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
  });
