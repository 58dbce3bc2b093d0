import { required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { path } from "../../stages/options/kinds.js";
import { passphraseOptions } from "../passphrase.js";

export const keyCreateSpec = {
  name: ["key", "create"],
  describe: "Create an Ed25519 signing key, encrypted with a passphrase",
  positionals: { name: required(path, "key name in the workspace, or a path ending in .pem") },
  options: passphraseOptions,
  examples: [
    ["sluice key create alice", "asks for a passphrase"],
    ["sluice key create alice --passphrase-file alice.pass", "for scripts"],
  ],
} satisfies CommandSpec;

export const keyShowSpec = {
  name: ["key", "show"],
  describe: "Show the id of a public key",
  positionals: { file: required(path, "public key file (.pub.pem)") },
  options: {},
  examples: [
    ["sluice key show sluice-workspace/keys/alice.pub.pem", "the key id in signatures"],
    ["sluice key show alice.pub.pem --json", "the same as JSON"],
  ],
} satisfies CommandSpec;
