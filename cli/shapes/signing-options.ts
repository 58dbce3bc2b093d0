import { moment } from "../commands/history/moment.js";
import { flag, optional, preset, required } from "../options.js";
import { duration, path, text } from "../parsers.js";
import { passphraseOptions } from "../passphrase.js";

/** Options of every command that signs. */
export const signingOptions = {
  key: required(path, "key: its name in the workspace, or a file; the public key when something else signs"),
  ...passphraseOptions,
  "ssh-agent": flag("the ssh-agent of SSH_AUTH_SOCK signs"),
  "signer-command": optional(text, "shell line that signs: bytes on stdin, base64 signature on stdout"),
  "signer-timeout": preset(duration, "2m", "how long an agent or a command may take to sign"),
  detach: optional(path, "file for the bytes to sign on another machine; nothing is signed here"),
  attach: optional(path, "file with the signature over those bytes, raw or base64"),
  "signed-at": optional(moment, "with --attach: the time that --detach printed"),
} as const;
