import { flag, preset } from "./options.js";
import { path } from "./parsers.js";

/** Options that every command takes. */
export const globalOptions = {
  workspace: preset(path, "sluice-workspace", "folder of the history, keys, models and bundle"),
  json: flag("print one JSON document, also on failure"),
  quiet: flag("no progress and no notes on stderr"),
} as const;
