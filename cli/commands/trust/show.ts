import { readTrustPolicy } from "../../../stages/trust.js";
import { trustLines } from "./create.js";
import type { WorkOf } from "../../command.js";
import type { trustShowSpec } from "../../specs/trust.js";

export const trustShow: WorkOf<typeof trustShowSpec> = async (context, args) => {
  const { file, sha256, policy } = await readTrustPolicy(context, args.trust);
  return { result: { file, sha256, policy }, lines: [...trustLines(context.here(file), policy), `sha256  ${sha256}`] };
};
