import type { CommandShape } from "../command-shape.js";
import { optional, preset, required } from "../options.js";
import { count, id, name, path, text } from "../parsers.js";
import { signingOptions } from "../commands/key/signing-key.js";

export const manifestCreateShape = {
  name: ["manifest", "create"],
  describe: "Pin every identity of a bundle, and sign it as its producer",
  positionals: {},
  options: {
    producer: required(name, "who signs; a producer of the trust policy"),
    ...signingOptions,
    calibration: optional(id, "calibration; the latest when absent"),
    "rollback-floor": optional(count, "smallest release that may still run after this one; the one before when absent"),
    trust: optional(
      path,
      "trust policy that must let the producer sign; trust.json of the workspace when there is one",
    ),
    "bundle-version": optional(text, "version of the bundle; made from the calibration when absent"),
  },
  examples: [
    ["sluice manifest create --producer ann --key ann", "the latest calibration"],
    ["sluice manifest create --producer ann --key ann --calibration 3f9c01ab --bundle-version 2026.2", "another one"],
  ],
} satisfies CommandShape;

export const manifestShowShape = {
  name: ["manifest", "show"],
  describe: "Show what an approver signs, and who has signed",
  positionals: {},
  options: {
    bundle: optional(id, "bundle; the latest when absent"),
    trust: optional(path, "trust policy that says who counts; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
    environment: preset(name, "production", "environment of the approvals"),
  },
  examples: [
    ["sluice manifest show", "the latest bundle"],
    ["sluice manifest show --bundle 3f9c01ab --json", "another one, as data"],
  ],
} satisfies CommandShape;
