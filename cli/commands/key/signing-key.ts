import { type PublicKey, publicKeyFromFile } from "../../../src/trust/public-key.js";
import type { Signer } from "../../../release/signing/signer.js";
import { SluiceError } from "../../../src/base/error.js";
import type { CommandContext } from "../../context.js";
import type { PassphraseSources } from "../../passphrase.js";
import { readInput, writeNewFile } from "../../../src/base/files.js";
import type { ResultParts } from "../../result.js";
import { shellLine } from "../../shell-line.js";
import { utcSeconds } from "../../../src/base/text.js";
import type { Moment } from "../history/moment.js";
import { keyFile } from "./create.js";
import { keyFileSigner } from "./key-file-signer.js";
import { publicKeyPath } from "../../../release/signing/key-file.js";
import { agentSigner } from "../../signers/agent-signer.js";
import { commandSigner } from "../../signers/command-signer.js";
import { attachedSigner, awaitingSigner, SignatureAwaited } from "../../signers/detached-signer.js";
import { sha256Hex } from "../../../src/base/sha256.js";

export interface SigningArguments extends PassphraseSources {
  readonly key: string;
  readonly sshAgent: boolean;
  readonly signerCommand: string | undefined;
  /** Seconds. */
  readonly signerTimeout: number;
  readonly detach: string | undefined;
  readonly attach: string | undefined;
  readonly signedAt: Moment | undefined;
  /** Whether a key file that does not exist is created; its passphrase is then a new one. */
  readonly createKey?: boolean;
}

/** How a command gets its signature. */
export interface Signing {
  /** Asks for a passphrase where one is needed; call it as late as possible. */
  readonly open: () => Promise<Signer>;
  /** The time that signed documents carry, milliseconds since 1970 UTC. */
  readonly atMs: number;
}

function requireOneSigner(args: SigningArguments): void {
  const given = [
    args.sshAgent ? "--ssh-agent" : undefined,
    args.signerCommand === undefined ? undefined : "--signer-command",
    args.detach === undefined ? undefined : "--detach",
    args.attach === undefined ? undefined : "--attach",
  ].filter((name) => name !== undefined);
  if (given.length > 1) {
    throw new SluiceError("USAGE", `${given.join(" and ")} cannot be combined`, { hint: `Keep ${given[0]} only.` });
  }
  if (args.signedAt === undefined || args.attach !== undefined) return;
  throw new SluiceError("USAGE", "--signed-at needs --attach", { hint: "Leave out --signed-at." });
}

/** The public key file of a name: `keys/NAME.pub.pem` of the workspace, or the file itself. */
async function readSignerKey(context: CommandContext, name: string): Promise<PublicKey> {
  const file = name.includes("/") || name.includes(".") ? name : publicKeyPath(keyFile(context.workspace, name));
  return publicKeyFromFile((await readInput(file)).toString("utf8"), file);
}

async function agentOf(context: CommandContext, args: SigningArguments): Promise<Signer> {
  const socket = context.env["SSH_AUTH_SOCK"];
  if (socket === undefined || socket === "") {
    throw new SluiceError("USAGE", "--ssh-agent: SSH_AUTH_SOCK names no agent", {
      hint: 'Start one: eval "$(ssh-agent)"; ssh-add FILE',
    });
  }
  const publicKey = await readSignerKey(context, args.key);
  return agentSigner({ socket, publicKey, timeoutMs: args.signerTimeout * 1000 });
}

async function commandOf(context: CommandContext, args: SigningArguments, command: string): Promise<Signer> {
  const publicKey = await readSignerKey(context, args.key);
  return commandSigner({ command, publicKey, timeoutMs: args.signerTimeout * 1000, signal: context.signal });
}

/** A signer that needs no private key here; undefined when a key file signs. */
async function remoteSigner(context: CommandContext, args: SigningArguments): Promise<Signer | undefined> {
  if (args.sshAgent) return agentOf(context, args);
  if (args.signerCommand !== undefined) return commandOf(context, args, args.signerCommand);
  if (args.detach === undefined && args.attach === undefined) return undefined;
  const publicKey = await readSignerKey(context, args.key);
  if (args.attach === undefined) return awaitingSigner(publicKey);
  return attachedSigner(publicKey, await readInput(args.attach), args.attach);
}

/** The bytes that wait for a signature, in a file. */
async function writeAwaited(
  bytes: Uint8Array,
  { file, keyId, signedAt }: { readonly file: string; readonly keyId: string; readonly signedAt: string },
): Promise<ResultParts> {
  await writeNewFile(file, bytes, 0o644);
  const sha256 = sha256Hex(bytes);
  const openssl = ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", "KEY.pem", "-in", file, "-out", `${file}.sig`];
  return {
    schema: "signature-awaited@1",
    result: { file, sha256, key_id: keyId, signed_at: signedAt },
    fields: [
      ["bytes to sign", file],
      ["sha256", sha256],
      ["with key", keyId],
      ["sign them", shellLine(openssl)],
      ["then", `the same command, with --attach ${file}.sig --signed-at ${signedAt} in place of --detach`],
    ],
  };
}

/**
 * Runs a command that signs with whatever the caller named: a key file, an ssh-agent, a command, or a key on another
 * machine in two steps. A missing key file is found before anything else happens.
 * @throws {SluiceError} USAGE, FILE_NOT_FOUND, KEY_FILE_MODE, KEY_INVALID; on opening PASSPHRASE_MISSING,
 *   PASSPHRASE_WRONG; on signing SIGNER_FAILED, SIGNATURE_INVALID
 */
export async function withSigning(
  context: CommandContext,
  args: SigningArguments,
  run: (signing: Signing) => Promise<ResultParts>,
): Promise<ResultParts> {
  requireOneSigner(args);
  const remote = await remoteSigner(context, args);
  const open = remote === undefined ? await keyFileSigner(context, args) : () => Promise.resolve(remote);
  const atMs = args.signedAt === undefined ? context.clock() : Date.parse(args.signedAt.first);
  try {
    return await run({ open, atMs });
  } catch (thrown) {
    if (!(thrown instanceof SignatureAwaited) || args.detach === undefined || remote === undefined) throw thrown;
    return writeAwaited(thrown.bytes, { file: args.detach, keyId: remote.keyId, signedAt: utcSeconds(atMs) });
  }
}
