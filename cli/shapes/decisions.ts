import type { CommandShape } from "../command-shape.js";
import { flag, optional, preset, required } from "../options.js";
import { choice, count, duration, id, name, path, sha256, text } from "../parsers.js";
import { reproductionSources } from "../../src/domain/choices.js";
import { signingOptions } from "./signing-options.js";

/** Options of `approve` and `reject`. */
const decisionOptions = {
  bundle: optional(id, "bundle; the latest when absent"),
  approver: required(name, "who signs; an approver of the trust policy"),
  ...signingOptions,
  key: optional(path, "key: its name in the workspace, or a file; that of the approver by default"),
  environment: preset(name, "production", "environment for which the decision holds"),
  trust: optional(path, "trust policy that says who counts; trust.json of the workspace when absent"),
  revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
  renew: flag("sign although an approval of yours counts already, to extend it"),
  days: preset(count, "30", "days from now on for which it holds"),
  reason: optional(text, "why; it is signed too"),
  "override-gates": optional(text, "why a bundle whose gates are not met may serve all the same; it is signed too"),
  yes: flag("do not ask for a confirmation"),
  page: optional(path, "release page that was read, from `report release`; one that differs in any byte is refused"),
  summary: optional(sha256, "digest of the summary that was read; another one is refused"),
} as const;

export const approveShape = {
  name: ["approve"],
  describe: "Read the summary of a bundle, then sign that it may serve",
  positionals: {},
  options: {
    ...decisionOptions,
    reproduce: flag(
      "derive the claim again before signing; nothing is signed when it differs, and the approval states it",
    ),
    from: preset(choice(...reproductionSources), "records", "start at the scored records, or score the dataset again"),
  },
  examples: [
    ["sluice approve --approver bo --key bo", "the latest bundle; asks for a confirmation"],
    ["sluice approve --bundle 3f9c01ab --approver bo --key bo --yes --passphrase-file bo.pass", "for scripts"],
  ],
} satisfies CommandShape;

export const rejectShape = {
  name: ["reject"],
  describe: "Read the summary of a bundle, then sign that it must not serve",
  positionals: {},
  options: decisionOptions,
  examples: [
    ["sluice reject --approver bo --key bo --reason unclear", "the latest bundle; asks for a confirmation"],
    ["sluice reject --bundle 3f9c01ab --approver bo --key bo --yes --passphrase-file bo.pass", "for scripts"],
  ],
} satisfies CommandShape;

export const revokeShape = {
  name: ["revoke"],
  describe: "Sign that a bundle, an approval, a file or a key must not count any more",
  positionals: {},
  options: {
    bundle: optional(id, "bundle id, or the beginning of one of the history"),
    approval: optional(id, "approval of the history"),
    artifact: optional(sha256, "digest of a file, or directory digest of a model, that no bundle may hold"),
    "key-id": optional(sha256, "key whose signatures no longer count"),
    revoker: required(name, "who signs; a revoker of the trust policy"),
    ...signingOptions,
    reason: optional(text, "why; it is signed too"),
    "valid-for": preset(duration, "30d", "when the next list is due; sign an empty one before then"),
    revocations: optional(path, "list to continue; revocations.json beside the trust policy when absent"),
    trust: optional(path, "trust policy; trust.json of the workspace when absent"),
  },
  examples: [
    [
      "sluice revoke --bundle 3f9c01ab --revoker bo --key bo --reason mistake",
      "stops every server that watches the list",
    ],
    ["sluice revoke --revoker bo --key bo", "revokes nothing and renews the list"],
  ],
} satisfies CommandShape;
