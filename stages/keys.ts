import { dirname, join } from "node:path";
import { firstKey, mayCreateKey } from "../release/person-key.js";
import { agentSigner } from "../release/signing/agent-signer.js";
import { commandSigner, attachedSigner, awaitingSigner, SignatureAwaited } from "../release/signing/command-signer.js";
import {
  type CreatedKey,
  createKeyFile,
  openPrivateKey,
  publicKeyPath,
  readKeyFile,
} from "../release/signing/key-file.js";
import type { Signer } from "../release/signing/sign-statement.js";
import { SluiceError } from "../src/base/error.js";
import { pathExists, readInput, writeNewFile } from "../src/base/files.js";
import { sha256Hex } from "../src/base/sha256.js";
import { utcSeconds } from "../src/base/text.js";
import { type PublicKey, publicKeyFromFile } from "../src/trust/public-key.js";
import { makeFolders } from "../store/make-folders.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import type { Workspace } from "../store/workspace.js";

/**
 * Key file of a name: `alice` is `keys/alice.pem` in the workspace. A name with a folder or the extension .pem is a
 * path.
 */
function keyFile(workspace: Workspace, name: string): string {
  const isPath = name.includes("/") || name.includes("\\") || name.endsWith(".pem");
  return isPath ? name : join(workspace.keys, `${name}.pem`);
}

/**
 * Creates a key: an encrypted private key file, and its public key next to it.
 * @param name        file in `keys/` of the workspace, or a path
 * @param passphrase  called after checking that no file would be overwritten
 * @throws {SluiceError} FILE_EXISTS, WRITE_FAILED, and the errors of `passphrase`
 */
export async function createKey(
  { workspace }: WorkbenchContext,
  name: string,
  passphrase: () => Promise<string>,
): Promise<CreatedKey> {
  const file = keyFile(workspace, name);
  await refuseExisting(file);
  const chosen = await passphrase();
  await makeFolders(dirname(file), { mode: 0o700 });
  return createKeyFile(file, chosen);
}

async function refuseExisting(file: string): Promise<void> {
  if (!(await pathExists(file))) return;
  throw new SluiceError("FILE_EXISTS", `${file}: already exists and is not overwritten`, {
    hint: "Choose another name for the new key.",
  });
}

/** Reads a public key file. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, KEY_INVALID, KEY_IS_PRIVATE */
export async function readPublicKey(file: string): Promise<PublicKey> {
  return publicKeyFromFile((await readInput(file)).toString("utf8"), file);
}

export interface Passphrases {
  /** Passphrase of an existing key file; undefined: none was given. */
  readonly of: (keyFile: string) => Promise<string | undefined>;
  readonly forNew: (keyFile: string) => Promise<string>;
}

export interface KeyFileChoice {
  readonly key: string;
  /** Whether to create a key that does not exist. Default false. */
  readonly createKey?: boolean | undefined;
}

/**
 * Reads a key file immediately but opens it later, so that the passphrase is only requested when needed.
 * @throws {SluiceError} FILE_NOT_FOUND, KEY_FILE_MODE, KEY_INVALID; on opening PASSPHRASE_MISSING, PASSPHRASE_WRONG
 */
export async function keyFileSigner(
  { workspace }: WorkbenchContext,
  { key, createKey: mayCreate = false }: KeyFileChoice,
  passphrases: Passphrases,
): Promise<() => Promise<Signer>> {
  const file = keyFile(workspace, key);
  if (mayCreate && mayCreateKey(workspace, file)) return async () => firstKey(file, await passphrases.forNew(file));
  const { encrypted } = await readKeyFile(file);
  return async () => openPrivateKey(file, encrypted ? await passphrases.of(file) : undefined);
}

/** How to sign: with a key file, or in one of the other ways, which need only the public key. */
export interface SigningChoice extends KeyFileChoice {
  /** Whether to sign with the ssh-agent at SSH_AUTH_SOCK. */
  readonly sshAgent: boolean;
  /** Shell command that reads bytes and prints their signature. */
  readonly signerCommand?: string | undefined;
  /** Timeout of agent and command, in seconds. */
  readonly signerTimeout: number;
  /** File to create with the bytes, to be signed elsewhere. */
  readonly detach?: string | undefined;
  /** File with the signature made elsewhere. */
  readonly attach?: string | undefined;
  /** Time stated in signed documents, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number | undefined;
}

export interface Signing {
  /** Opens the signer, possibly asking for a passphrase; call it as late as possible. */
  readonly open: () => Promise<Signer>;
  /** Time stated in signed documents, milliseconds since 1970 UTC. */
  readonly atMs: number;
}

/** A file with bytes to be signed elsewhere; nothing else was saved. */
export interface AwaitedSignature {
  readonly file: string;
  readonly sha256: string;
  readonly keyId: string;
  /** Time of the signature: UTC, in whole seconds. */
  readonly signedAt: string;
}

/** The result of a signing stage, or the signature that it awaits. */
export type Signed<T> = { readonly result: T; readonly awaited: null } | { readonly awaited: AwaitedSignature };

/**
 * Runs a signing stage with the signer that the caller chose: a key file, an ssh-agent, a command, or, in two steps, a
 * key on another machine. A missing key file is reported before anything else happens.
 * @throws {SluiceError} USAGE, FILE_NOT_FOUND, KEY_FILE_MODE, KEY_INVALID; on opening PASSPHRASE_MISSING,
 *   PASSPHRASE_WRONG; on signing SIGNER_FAILED, SIGNATURE_INVALID
 */
export async function withSigner<T>(
  workbench: WorkbenchContext,
  choice: SigningChoice,
  passphrases: Passphrases,
  run: (signing: Signing) => Promise<T>,
): Promise<Signed<T>> {
  const remote = await remoteSigner(workbench, choice);
  const open =
    remote === undefined ? await keyFileSigner(workbench, choice, passphrases) : () => Promise.resolve(remote);
  const { detach: file, atMs = workbench.clock() } = choice;
  try {
    return { result: await run({ open, atMs }), awaited: null };
  } catch (thrown) {
    if (!(thrown instanceof SignatureAwaited) || file === undefined || remote === undefined) throw thrown;
    const { bytes } = thrown;
    await writeNewFile(file, bytes, 0o644);
    return { awaited: { file, sha256: sha256Hex(bytes), keyId: remote.keyId, signedAt: utcSeconds(atMs) } };
  }
}

/** A signer that needs no private key on this machine; undefined if a key file is used. */
async function remoteSigner(workbench: WorkbenchContext, choice: SigningChoice): Promise<Signer | undefined> {
  const { key, sshAgent, signerCommand: command, detach, attach } = choice;
  const timeoutMs = choice.signerTimeout * 1000;
  if (sshAgent) {
    const socket = agentSocket(workbench);
    return agentSigner({ socket, publicKey: await publicKeyOf(workbench, key), timeoutMs });
  }
  if (command !== undefined) {
    const publicKey = await publicKeyOf(workbench, key);
    return commandSigner({ command, publicKey, timeoutMs, signal: workbench.signal });
  }
  if (detach === undefined && attach === undefined) return undefined;
  const publicKey = await publicKeyOf(workbench, key);
  return attach === undefined ? awaitingSigner(publicKey) : attachedSigner(publicKey, await readInput(attach), attach);
}

function agentSocket({ env }: WorkbenchContext): string {
  const socket = env["SSH_AUTH_SOCK"];
  if (socket !== undefined && socket !== "") return socket;
  throw new SluiceError("USAGE", "--ssh-agent: SSH_AUTH_SOCK names no agent", {
    hint: 'Start one: eval "$(ssh-agent)"; ssh-add FILE',
  });
}

/** Reads the public key of a name: `keys/NAME.pub.pem` in the workspace, or the file itself. */
async function publicKeyOf({ workspace }: WorkbenchContext, name: string): Promise<PublicKey> {
  const isFile = name.includes("/") || name.includes(".");
  return readPublicKey(isFile ? name : publicKeyPath(keyFile(workspace, name)));
}
