import { withSigning } from "../key/signing-key.js";
import type { WorkOf } from "../../command.js";
import type { trustSignShape } from "../../shapes/trust.js";
import { signNextTrustPolicy } from "../../../stages/trust/change-trust-policy.js";

export const trustSign: WorkOf<typeof trustSignShape> = (context, args) =>
  withSigning(context, args, async ({ open }) => {
    const { file, keyId } = await signNextTrustPolicy(args.file, open, args.out);
    return {
      result: { file, key_id: keyId },
      fields: [
        ["file", file],
        ["signed with", keyId],
      ],
      next: [context.nextLine("trust", "update", file)],
    };
  });
