import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { firstKey, mayCreateKey } from "../release/person-key.js";
import { agentSigner } from "../release/signing/agent-signer.js";
import { commandSigner } from "../release/signing/command-signer.js";
import { attachedSigner, awaitingSigner, SignatureAwaited } from "../release/signing/detached-signer.js";
import {
  type CreatedKey,
  createKeyFile,
  openPrivateKey,
  publicKeyPath,
  readKeyFile,
} from "../release/signing/key-file.js";
import type { Signer } from "../release/signing/signer.js";
import { SluiceError } from "../src/base/error.js";
import { readInput, writeNewFile } from "../src/base/files.js";
import { sha256Hex } from "../src/base/sha256.js";
import { utcSeconds } from "../src/base/text.js";
import { type PublicKey, publicKeyFromFile } from "../src/trust/public-key.js";
import { makeFolders } from "../store/make-folders.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import type { Workspace } from "../store/workspace.js";

/** `alice` is `keys/alice.pem` of the workspace; anything with a folder or the ending .pem is a path. */
function keyFile(workspace: Workspace, name: string): string {
  const isPath = name.includes("/") || name.includes("\\") || name.endsWith(".pem");
  return isPath ? name : join(workspace.keys, `${name}.pem`);
}

/**
 * Creates a key: an encrypted private key file, and its public key next to it.
 * @param name        file in `keys/` of the workspace, or a path
 * @param passphrase  asked for once it is known that no file is overwritten
 * @throws {SluiceError} FILE_EXISTS, WRITE_FAILED, those of `passphrase`
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
  const exists = await lstat(file).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  throw new SluiceError("FILE_EXISTS", `${file}: exists already and is not overwritten`, {
    hint: "Choose another name for the new key.",
  });
}

/** Reads a public key file. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, KEY_INVALID, KEY_WEAK, KEY_IS_PRIVATE */
export async function readPublicKey(file: string): Promise<PublicKey> {
  return publicKeyFromFile((await readInput(file)).toString("utf8"), file);
}

/** Where the passphrases of key files come from. */
export interface Passphrases {
  /** Of a file that exists; undefined: none was given. */
  readonly of: (keyFile: string) => Promise<string | undefined>;
  /** Of a key that is created now. */
  readonly forNew: (keyFile: string) => Promise<string>;
}

/** A key file of the workspace, or a path to one. */
export interface KeyFileChoice {
  readonly key: string;
  /** Whether a key that does not exist is created. Default false. */
  readonly createKey?: boolean | undefined;
}

/**
 * Reads a key file now and opens it later, so that nobody is asked for a passphrase in vain.
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

/** What signs: a key file, or one of the other ways, which need its public key only. */
export interface SigningChoice extends KeyFileChoice {
  /** Signs with the ssh-agent that SSH_AUTH_SOCK names. */
  readonly sshAgent: boolean;
  /** Line for the shell that reads bytes and prints their signature. */
  readonly signerCommand?: string | undefined;
  /** Of agent and command, in seconds. */
  readonly signerTimeout: number;
  /** New file for the bytes, which are signed elsewhere. */
  readonly detach?: string | undefined;
  /** File with the signature that was made elsewhere. */
  readonly attach?: string | undefined;
  /** Time that signed documents carry, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number | undefined;
}

/** How a stage gets its signature. */
export interface Signing {
  /** Asks for a passphrase where one is needed; call it as late as possible. */
  readonly open: () => Promise<Signer>;
  /** The time that signed documents carry, milliseconds since 1970 UTC. */
  readonly atMs: number;
}

/** Bytes that wait for a signature, in a file; nothing else was saved. */
export interface AwaitedSignature {
  readonly file: string;
  readonly sha256: string;
  readonly keyId: string;
  /** UTC, whole seconds. */
  readonly signedAt: string;
}

/** The result of a stage that signs, or what it waits for. */
export type Signed<T> = { readonly result: T; readonly awaited: null } | { readonly awaited: AwaitedSignature };

/**
 * Runs a stage that signs with whatever the caller named: a key file, an ssh-agent, a command, or a key on another
 * machine in two steps. A missing key file is found before anything else happens.
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

/** A signer that needs no private key here; undefined when a key file signs. */
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

/** The public key file of a name: `keys/NAME.pub.pem` of the workspace, or the file itself. */
async function publicKeyOf({ workspace }: WorkbenchContext, name: string): Promise<PublicKey> {
  const isFile = name.includes("/") || name.includes(".");
  return readPublicKey(isFile ? name : publicKeyPath(keyFile(workspace, name)));
}
