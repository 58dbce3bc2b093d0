import { signDecision } from "./approval/sign-decision.js";
import type { WorkOf } from "../command.js";
import type { approveShape } from "../shapes/decisions.js";

export const approve: WorkOf<typeof approveShape> = (context, { reproduce, from, ...args }) =>
  signDecision(context, { ...args, reproduce: reproduce ? from : null }, "approve");
