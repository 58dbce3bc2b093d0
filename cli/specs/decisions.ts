import { flag, optional, preset, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { choice, count, duration, id, name, path, sha256, text } from "../../stages/options/kinds.js";
import { reproductionSources } from "../../src/documents/choices.js";
import { signingOptions } from "./signing-options.js";

const decisionOptions = {
  bundle: optional(id, "bundle; by default the latest"),
  approver: required(name, "approver who signs, as named in the trust policy"),
  ...signingOptions,
  key: optional(path, "key name in the workspace, or key file; by default the approver's key"),
  environment: preset(name, "production", "environment that the decision applies to"),
  trust: optional(path, "trust policy; by default trust.json of the workspace"),
  revocations: optional(path, "revocation list; by default revocations.json next to the trust policy"),
  renew: flag("extend an approval that already counts"),
  days: preset(count, "30", "days until the decision expires"),
  reason: optional(text, "reason, signed with the decision"),
  overrideGates: optional(text, "reason for releasing despite a gate that was not met; signed with the decision"),
  yes: flag("do not ask for confirmation"),
  page: optional(path, "release page that the approver read, from `report release`; refused if any byte differs"),
  pageDigest: optional(sha256, "digest of the release page that the approver read; refused if it differs"),
} as const;

export const approveSpec = {
  name: ["approve"],
  describe: "Show the release page of a bundle, then sign an approval",
  positionals: {},
  options: {
    ...decisionOptions,
    reproduce: flag("reproduce the claim before signing and record that; nothing is signed if it differs"),
    from: preset(
      choice(...reproductionSources),
      "records",
      "starting point: the scored records, or scoring the dataset again",
    ),
  },
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
  examples: [
    ["sluice reject --approver bo --reason unclear", "the latest bundle; asks for confirmation"],
    ["sluice reject --bundle 3f9c01ab --approver bo --reason recalled --yes --passphrase-file bo.pass", "for scripts"],
  ],
} satisfies CommandSpec;

export const revokeSpec = {
  name: ["revoke"],
  describe: "Revoke a bundle, an approval, a file or a key",
  positionals: {},
  options: {
    bundle: optional(id, "bundle: its id, or an id prefix from the history"),
    approval: optional(id, "approval in the history"),
    artifact: optional(sha256, "digest of a file or model folder that no bundle may contain"),
    keyId: optional(sha256, "id of a key; its signatures no longer count"),
    revoker: required(name, "revoker who signs, as named in the trust policy"),
    ...signingOptions,
    reason: optional(text, "reason, signed with the decision"),
    validFor: preset(duration, "30d", "time until the next list is due; renew it before then"),
    revocations: optional(path, "list to extend; by default revocations.json next to the trust policy"),
    trust: optional(path, "trust policy; by default trust.json of the workspace"),
  },
  examples: [
    [
      "sluice revoke --bundle 3f9c01ab --revoker bo --key bo --reason mistake",
      "stops every server that watches the list",
    ],
    ["sluice revoke --revoker bo --key bo", "renews the list without a new revocation"],
  ],
} satisfies CommandSpec;
