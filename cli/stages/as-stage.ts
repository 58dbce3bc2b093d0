import type { History } from "../../src/history/open.js";
import type { CommandContext } from "../context.js";
import type { Stage } from "./stage.js";

/** The stage of a command that holds the history open. */
export function asStage(context: CommandContext, history: History): Stage {
  return { history, actor: context.actor, context };
}
