import { signDecision } from "./approval/sign-decision.js";
import type { WorkOf } from "../command.js";
import type { rejectShape } from "../shapes/decisions.js";

export const reject: WorkOf<typeof rejectShape> = (context, args) =>
  signDecision(context, { ...args, reproduce: null }, "reject");
