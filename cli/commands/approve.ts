import { signDecision } from "./approval/sign-decision.js";
import type { WorkOf } from "../command.js";
import type { approveShape } from "../shapes/decisions.js";

export const approve: WorkOf<typeof approveShape> = (context, args) => signDecision(context, args, "approve");
