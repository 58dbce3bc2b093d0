import type { WorkOf } from "../../command.js";
import type { trustUpdateSpec } from "../../specs/trust.js";
import { updateTrustPolicy } from "../../../stages/trust.js";

export const trustUpdate: WorkOf<typeof trustUpdateSpec> = async (context, args) => {
  const { file, from, policy, entry } = await updateTrustPolicy(context, args);
  return {
    result: { file, from, to: policy.version, entry },
    fields: [
      ["file", context.here(file)],
      ["version", `${from} replaced by ${policy.version}`],
      ["expires", policy.expires],
    ],
    next: [context.next("trust", "show", ...(args.trust === undefined ? [] : ["--trust", args.trust]))],
  };
};
