import { signDecision } from "./approval/sign-decision.js";
import type { WorkOf } from "../command.js";
import type { rejectSpec } from "../specs/decisions.js";

export const reject: WorkOf<typeof rejectSpec> = (context, args) =>
  signDecision(context, { ...args, reproduce: null }, "reject");
