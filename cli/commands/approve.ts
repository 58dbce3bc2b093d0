import { signDecision } from "./approval/sign-decision.js";
import type { WorkOf } from "../command.js";
import type { approveSpec } from "../specs/decisions.js";

export const approve: WorkOf<typeof approveSpec> = (context, { reproduce, from, ...args }) =>
  signDecision(context, { ...args, reproduce: reproduce ? from : null }, "approve");
