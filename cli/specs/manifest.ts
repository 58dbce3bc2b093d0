import { optional, preset, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { count, id, name, path, text } from "../../stages/options/kinds.js";
import { signingOptions } from "./signing-options.js";

export const manifestCreateSpec = {
  name: ["manifest", "create"],
  describe: "Create the manifest of a bundle and sign it as its producer",
  positionals: {},
  options: {
    producer: required(name, "producer who signs, as named in the trust policy"),
    ...signingOptions,
    calibration: optional(id, "calibration; by default the latest"),
    rollbackFloor: optional(count, "oldest release allowed to run after this one; by default the previous one"),
    trust: optional(path, "trust policy that names the producer; by default trust.json of the workspace, if it exists"),
    bundleVersion: optional(text, "version of the bundle; by default derived from the calibration"),
  },
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
  options: {
    bundle: optional(id, "bundle; by default the latest"),
    trust: optional(path, "trust policy; by default trust.json of the workspace"),
    revocations: optional(path, "revocation list; by default revocations.json next to the trust policy"),
    environment: preset(name, "production", "environment of the approvals"),
  },
  examples: [
    ["sluice manifest show", "the latest bundle"],
    ["sluice manifest show --bundle 3f9c01ab --json", "a specific one, as JSON"],
  ],
} satisfies CommandSpec;
