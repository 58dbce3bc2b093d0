import { flag, optional, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { path, text } from "../../stages/options/kinds.js";
import { approveOptions, decisionOptions, revokeOptions } from "../../stages/options/release.js";
import { signingOptions } from "./signing-options.js";

const own = {
  ...signingOptions,
  key: optional(path, "key name in the workspace, or key file; by default the approver's key"),
  yes: flag("do not ask for confirmation"),
} as const;

export const approveSpec = {
  name: ["approve"],
  describe: "Show the release page of a bundle, then sign an approval",
  positionals: {},
  options: approveOptions,
  own,
  examples: [
    ["sluice approve --approver bo --key bo", "the latest bundle; asks for confirmation"],
    ["sluice approve --bundle 3f9c01ab --approver bo --key bo --yes --passphrase-file bo.pass", "for scripts"],
  ],
} satisfies CommandSpec;

export const rejectSpec = {
  name: ["reject"],
  describe: "Show the release page of a bundle, then sign a rejection",
  positionals: {},
  options: { ...decisionOptions, reason: required(text, "why the bundle must not serve; signed with the decision") },
  own,
  examples: [
    ["sluice reject --approver bo --reason unclear", "the latest bundle; asks for confirmation"],
    ["sluice reject --bundle 3f9c01ab --approver bo --reason recalled --yes --passphrase-file bo.pass", "for scripts"],
  ],
} satisfies CommandSpec;

export const revokeSpec = {
  name: ["revoke"],
  describe: "Revoke a bundle, an approval, a file or a key",
  positionals: {},
  options: revokeOptions,
  own: signingOptions,
  examples: [
    [
      "sluice revoke --bundle 3f9c01ab --revoker bo --key bo --reason mistake",
      "stops every server that watches the list",
    ],
    ["sluice revoke --revoker bo --key bo", "renews the list without a new revocation"],
  ],
} satisfies CommandSpec;
