import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  createCipheriv,
  pbkdf2,
  randomBytes,
} from "node:crypto";
import type { Sha256 } from "../../src/base/sha256.js";
import { existsSync } from "node:fs";
import { readFile, stat, unlink } from "node:fs/promises";
import { command, say, SluiceError } from "../../src/base/error.js";
import { publicKeyToPem } from "../../src/trust/public-key.js";
import { pathExists, writeNewFile } from "../../src/base/files.js";
import { type Signer, signerFromPrivateKey } from "./sign-statement.js";
import { promisify } from "node:util";

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

async function refuseExisting(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (!(await pathExists(path))) continue;
    throw new SluiceError("FILE_EXISTS", `${path}: already exists and is not overwritten`, {
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
      hint: existsSync(path.replace(/\.pem$/, ".pub.pem"))
        ? "Its public key is here. Name the private key where this person keeps it: --key FILE"
        : say`Each person signs with their own key, which is created with: ${command`sluice key create ${path}`}`,
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

/** PBKDF2-SHA256 iterations for a new key file; opening it takes about 150 ms. */
export const defaultKeyRounds = 600_000;

const deriveKey = promisify(pbkdf2);
const tag = { integer: 0x02, octets: 0x04, null: 0x05, oid: 0x06, sequence: 0x30 } as const;
const oid = {
  pbes2: "2a864886f70d01050d",
  pbkdf2: "2a864886f70d01050c",
  hmacWithSha256: "2a864886f70d0209",
  aes256Cbc: "60864801650304012a",
} as const;

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function der(tagByte: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tagByte]), lengthBytes(body.length), body]);
}

/** DER encoding of a non-negative integer; a leading zero byte keeps the sign bit clear. */
function derInteger(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const negative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return negative ? der(tag.integer, Buffer.from([0]), bytes) : der(tag.integer, bytes);
}

const derOid = (hex: string): Buffer => der(tag.oid, Buffer.from(hex, "hex"));

function algorithm(salt: Uint8Array, iv: Uint8Array, rounds: number): Buffer {
  const prf = der(tag.sequence, derOid(oid.hmacWithSha256), der(tag.null));
  const kdf = der(tag.sequence, der(tag.octets, salt), derInteger(rounds), prf);
  const cipher = der(tag.sequence, derOid(oid.aes256Cbc), der(tag.octets, iv));
  const parameters = der(tag.sequence, der(tag.sequence, derOid(oid.pbkdf2), kdf), cipher);
  return der(tag.sequence, derOid(oid.pbes2), parameters);
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  const label = "ENCRYPTED PRIVATE KEY";
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/**
 * Encrypts a PKCS#8 private key as PEM `ENCRYPTED PRIVATE KEY`: PBES2 (RFC 8018) with PBKDF2-SHA256 and AES-256-CBC.
 * Written here because Node's own export uses only 2,048 iterations. OpenSSL can open the result.
 * @param pkcs8   DER of the private key
 * @param rounds  PBKDF2 iterations, at least 1
 */
async function encryptPkcs8(pkcs8: Uint8Array, passphrase: string, rounds: number): Promise<string> {
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const key = await deriveKey(passphrase, salt, rounds, 32, "sha256");
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  const encrypted = Buffer.concat([cipher.update(pkcs8), cipher.final()]);
  return toPem(der(tag.sequence, algorithm(salt, iv, rounds), der(tag.octets, encrypted)));
}
