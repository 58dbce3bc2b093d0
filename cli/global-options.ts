import { flag, optional, preset } from "../src/base/options.js";
import { choice, path, text } from "../stages/options/kinds.js";
import { colourModes } from "./terminal/terminal.js";

export const globalOptions = {
  project: preset(path, ".", "run as if started in this folder; paths are relative to it"),
  workspace: preset(path, "sluice-workspace", "folder of the history, keys, models and bundle"),
  vectors: optional(
    path,
    "folder of the embedding cache, which workspaces may share; default: vectors/ of the workspace",
  ),
  actor: optional(
    text,
    "author of history records; by default the signer, else the producer of the project, else the user of this machine",
  ),
  json: flag("print one JSON document, even on failure"),
  color: preset(
    choice(...colourModes),
    "auto",
    "when to use colour; auto: at a terminal, unless NO_COLOR is set; FORCE_COLOR enables it",
  ),
  quiet: flag("print no progress and no notes on stderr"),
} as const;
