import { readTrust } from "../../../release/read-trust.js";
import { trustLines } from "./create.js";
import type { WorkOf } from "../../command.js";
import type { trustShowSpec } from "../../specs/trust.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { parseTrustPolicy } from "../../../src/trust/trust-policy.js";

export const trustShow: WorkOf<typeof trustShowSpec> = async (context, args) => {
  const bytes = await readTrust(context, args.trust);
  const { policy } = parseTrustPolicy(bytes);
  const file = args.trust ?? context.workspace.trust;
  const digest = sha256Hex(bytes);
  return {
    result: { file, sha256: digest, policy },
    lines: [...trustLines(file, policy), `sha256  ${digest}`],
  };
};
