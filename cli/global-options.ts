import { flag, optional, preset } from "./options.js";
import { choice, path, text } from "./parsers.js";
import { colourModes } from "./terminal/colours.js";

/** Options that every command takes. */
export const globalOptions = {
  project: preset(path, ".", "run as if started in this folder; paths are relative to it"),
  workspace: preset(path, "sluice-workspace", "folder of the history, keys, models and bundle"),
  actor: optional(text, "who writes to the history; the user of this machine when absent"),
  json: flag("print one JSON document, also on failure"),
  color: preset(choice(...colourModes), "auto", "auto: at a terminal, unless NO_COLOR is set; FORCE_COLOR sets it"),
  quiet: flag("no progress and no notes on stderr"),
} as const;
