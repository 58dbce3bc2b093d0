import { withSigning } from "../key/signing-key.js";
import type { WorkOf } from "../../command.js";
import type { trustSignSpec } from "../../specs/trust.js";
import { signNextTrustPolicy } from "../../../stages/trust.js";

export const trustSign: WorkOf<typeof trustSignSpec> = (context, args, signing) =>
  withSigning(context, signing, async ({ open }) => {
    const { file, keyId } = await signNextTrustPolicy(args.file, open, args.out);
    return {
      result: { file, key_id: keyId },
      fields: [
        ["file", context.here(file)],
        ["signed with", keyId],
      ],
      next: [context.next("trust", "update", file)],
    };
  });
