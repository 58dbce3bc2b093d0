import type { CommandSpec } from "../command-spec.js";
import { manifestOptions, releaseOptions } from "../../stages/options/release.js";
import { signingOptions } from "./signing-options.js";

export const manifestCreateSpec = {
  name: ["manifest", "create"],
  describe: "Create the manifest of a bundle and sign it as its producer",
  positionals: {},
  options: manifestOptions,
  own: signingOptions,
  examples: [
    ["sluice manifest create --producer ann --key ann", "the latest calibration"],
    [
      "sluice manifest create --producer ann --key ann --calibration 3f9c01ab --bundle-version 2026.2",
      "a specific one",
    ],
  ],
} satisfies CommandSpec;

export const manifestShowSpec = {
  name: ["manifest", "show"],
  describe: "Show what approvers sign, and who has signed",
  positionals: {},
  options: releaseOptions,
  examples: [
    ["sluice manifest show", "the latest bundle"],
    ["sluice manifest show --bundle 3f9c01ab --json", "a specific one, as JSON"],
  ],
} satisfies CommandSpec;
