import { flag, optional, preset, required } from "../../src/base/options.js";
import { moment } from "../../stages/options/history.js";
import { duration, path, text } from "../../stages/options/kinds.js";
import { passphraseOptions } from "../passphrase.js";

export const signingOptions = {
  key: required(path, "key name in the workspace, or key file; the public key if an agent or a command signs"),
  ...passphraseOptions,
  sshAgent: flag("sign with the ssh-agent at SSH_AUTH_SOCK"),
  signerCommand: optional(text, "shell command that signs: bytes on stdin, base64 signature on stdout"),
  signerTimeout: preset(duration, "2m", "time limit for the agent or the command"),
  detach: optional(path, "write the bytes to sign on another machine to this file; sign nothing here"),
  attach: optional(path, "file with the signature from the other machine, raw or base64"),
  signedAt: optional(moment("first"), "with --attach: the time printed by --detach"),
} as const;
