import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Sha256 } from "../../src/base/sha256.js";
import { lstat, readFile, stat, unlink } from "node:fs/promises";
import { SluiceError } from "../../src/base/error.js";
import { publicKeyToPem } from "../../src/trust/public-key.js";
import { writeNewFile } from "../../src/base/files.js";
import { defaultKeyRounds, encryptPkcs8 } from "./pbes2.js";
import { type Signer, signerFromPrivateKey } from "./signer.js";

const privateMode = 0o600;
const publicMode = 0o644;
const othersMask = 0o077;

export interface CreatedKey {
  readonly keyId: Sha256;
  readonly privateKeyPath: string;
  readonly publicKeyPath: string;
}

/** Path of the public key next to a private key: `alice.pub.pem` for `alice.pem` and for `alice`. */
export function publicKeyPath(privateKeyPath: string): string {
  return `${privateKeyPath.replace(/\.pem$/, "")}.pub.pem`;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function refuseExisting(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (!(await exists(path))) continue;
    throw new SluiceError("FILE_EXISTS", `${path}: exists already and is not overwritten`, {
      hint: "Choose another name for the new key.",
    });
  }
}

/**
 * Creates an Ed25519 key pair. The private key file is encrypted and readable only by its owner; the public key is
 * written next to it.
 * @param path        path of the private key file
 * @param passphrase  not empty
 * @param rounds      PBKDF2 iterations
 * @throws {SluiceError} PASSPHRASE_MISSING, FILE_EXISTS, WRITE_FAILED
 */
export async function createKeyFile(path: string, passphrase: string, rounds = defaultKeyRounds): Promise<CreatedKey> {
  if (passphrase === "") {
    throw new SluiceError("PASSPHRASE_MISSING", `${path}: a new key requires a passphrase`);
  }
  const publicPath = publicKeyPath(path);
  await refuseExisting([path, publicPath]);
  const { privateKey } = generateKeyPairSync("ed25519");
  const { keyId, publicKey } = signerFromPrivateKey(privateKey, path);
  const pem = await encryptPkcs8(privateKey.export({ type: "pkcs8", format: "der" }), passphrase, rounds);
  await writeNewFile(path, Buffer.from(pem, "utf8"), privateMode);
  try {
    await writeNewFile(publicPath, Buffer.from(publicKeyToPem(publicKey), "utf8"), publicMode);
  } catch (cause) {
    await unlink(path);
    throw cause;
  }
  return { keyId, privateKeyPath: path, publicKeyPath: publicPath };
}

/**
 * Reads a private key file without decrypting it, so that problems surface before a passphrase is requested.
 * @throws {SluiceError} FILE_NOT_FOUND, KEY_FILE_MODE (group or others have any right), READ_FAILED, KEY_INVALID
 */
export async function readKeyFile(path: string): Promise<{ readonly pem: string; readonly encrypted: boolean }> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new SluiceError("FILE_NOT_FOUND", `${path}: no such key file`, {
      hint: `Each person signs with their own key, which is created with: sluice key create ${path}`,
      cause,
    });
  });
  if (found.isFile() && (found.mode & othersMask) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
    throw new SluiceError("KEY_FILE_MODE", `${path}: has mode ${mode}, expected no permissions for other users`, {
      hint: `Run: chmod 600 ${path}`,
    });
  }
  const pem = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new SluiceError("READ_FAILED", `${path}: cannot be read`, { cause });
  });
  if (!pem.includes("PRIVATE KEY-----")) {
    throw new SluiceError("KEY_INVALID", `${path}: contains no private key in PEM form`);
  }
  return { pem, encrypted: pem.includes("ENCRYPTED") };
}

function decrypt(pem: string, passphrase: string | undefined, path: string): KeyObject {
  try {
    return createPrivateKey(passphrase === undefined ? pem : { key: pem, passphrase });
  } catch (cause) {
    if (passphrase === undefined) throw new SluiceError("KEY_INVALID", `${path}: the key cannot be read`, { cause });
    // A wrong passphrase sometimes yields valid padding. OpenSSL then reports an unsupported key instead of a bad
    // decrypt.
    throw new SluiceError("PASSPHRASE_WRONG", `${path}: wrong passphrase, or the key file is damaged`, { cause });
  }
}

/**
 * Opens a private key file for signing, in any PEM form that OpenSSL reads.
 * @param passphrase  undefined if none was given; an empty string counts as a passphrase
 * @throws {SluiceError} the codes of `readKeyFile`; PASSPHRASE_MISSING, PASSPHRASE_WRONG, KEY_INVALID
 */
export async function openPrivateKey(path: string, passphrase: string | undefined): Promise<Signer> {
  const { pem, encrypted } = await readKeyFile(path);
  if (encrypted && passphrase === undefined) {
    throw new SluiceError("PASSPHRASE_MISSING", `${path}: the key is encrypted, but no passphrase was given`);
  }
  const privateKey = decrypt(pem, encrypted ? passphrase : undefined, path);
  if (privateKey.asymmetricKeyType !== "ed25519") {
    const found = privateKey.asymmetricKeyType ?? "unknown";
    throw new SluiceError("KEY_INVALID", `${path}: a key of type ${found}, expected ed25519`);
  }
  return signerFromPrivateKey(privateKey, path);
}
