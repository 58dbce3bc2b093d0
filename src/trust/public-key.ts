import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { sha256Hex, type Sha256 } from "../base/sha256.js";
import { SluiceError } from "../base/error.js";

const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex");
/** Start of an OpenSSH public key: length and name of the algorithm, and length of the key. */
const openSshPrefix = Buffer.from("0000000b7373682d6564323535313900000020", "hex");
const fieldPrime = 2n ** 255n - 19n;
const rawKeyBytes = 32;
const signatureBytes = 64;

/** The eight points of small order in canonical form; a signature that verifies under one of them proves nothing. */
const smallOrderKeys: ReadonlySet<string> = new Set([
  `01${"00".repeat(31)}`,
  `ec${"ff".repeat(30)}7f`,
  "00".repeat(32),
  `${"00".repeat(31)}80`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]);

/** A checked Ed25519 public key. */
export interface PublicKey {
  /** SHA-256 of the SPKI DER, lower-case hex. A hint in envelopes, never an identity. */
  readonly keyId: Sha256;
  /** The 32 bytes that identify the key. */
  readonly raw: Buffer;
  readonly keyObject: KeyObject;
}

function isCanonicalPoint(raw: Uint8Array): boolean {
  const encoded = BigInt(`0x${Buffer.from(raw).reverse().toString("hex")}`);
  const signBit = encoded >> 255n;
  const y = encoded & (2n ** 255n - 1n);
  const xIsZero = y === 1n || y === fieldPrime - 1n;
  return y < fieldPrime && !(signBit === 1n && xIsZero);
}

/**
 * Checks the 32 bytes of an Ed25519 public key.
 * @throws {SluiceError} KEY_INVALID  of wrong length, not canonical, or of small order
 */
export function publicKeyFromRaw(raw: Uint8Array, what: string): PublicKey {
  if (raw.length !== rawKeyBytes) {
    throw new SluiceError(
      "KEY_INVALID",
      `${what}: found ${raw.length} bytes, expected ${rawKeyBytes} of an Ed25519 public key`,
    );
  }
  if (!isCanonicalPoint(raw)) throw new SluiceError("KEY_INVALID", `${what}: the key is not canonically encoded`);
  if (smallOrderKeys.has(Buffer.from(raw).toString("hex"))) {
    throw new SluiceError("KEY_INVALID", `${what}: the key has small order, so that every message would verify`);
  }
  const der = Buffer.concat([spkiPrefix, raw]);
  const keyObject = createPublicKey({ key: der, format: "der", type: "spki" });
  return { keyId: sha256Hex(der), raw: Buffer.from(raw), keyObject };
}

function parsePem(pem: string, what: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new SluiceError("KEY_INVALID", `${what}: the PEM block cannot be read`, { cause });
  }
}

/**
 * Reads an Ed25519 key from a PEM block `PUBLIC KEY`.
 * @throws {SluiceError} KEY_IS_PRIVATE; KEY_INVALID  not PEM, a different type of key, or weak
 */
export function publicKeyFromPem(pem: string, what: string): PublicKey {
  if (pem.includes("PRIVATE KEY")) {
    throw new SluiceError("KEY_IS_PRIVATE", `${what}: contains a private key, expected a public key`, {
      hint: "Use the file that ends in .pub.pem. Do not share the private key file.",
    });
  }
  if (!pem.trimStart().startsWith("-----BEGIN PUBLIC KEY-----")) {
    throw new SluiceError("KEY_INVALID", `${what}: does not begin with a PEM block "PUBLIC KEY"`);
  }
  const key = parsePem(pem, what);
  if (key.asymmetricKeyType !== "ed25519") {
    throw new SluiceError("KEY_INVALID", `${what}: a key of type ${key.asymmetricKeyType}, expected ed25519`);
  }
  const der = key.export({ type: "spki", format: "der" });
  return publicKeyFromRaw(der.subarray(spkiPrefix.length), what);
}

/** Reads `ssh-ed25519 BASE64 COMMENT`: two length-prefixed strings, the name of the algorithm and the 32 bytes. */
function publicKeyFromOpenSsh(line: string, what: string): PublicKey {
  const blob = Buffer.from(line.split(/\s+/)[1] ?? "", "base64");
  if (!blob.subarray(0, openSshPrefix.length).equals(openSshPrefix)) {
    throw new SluiceError("KEY_INVALID", `${what}: the ssh-ed25519 line cannot be read`);
  }
  return publicKeyFromRaw(blob.subarray(openSshPrefix.length), what);
}

/**
 * Reads a public key file: a PEM block `PUBLIC KEY`, or a line `ssh-ed25519 ...` as written by ssh-keygen.
 * @throws {SluiceError} KEY_IS_PRIVATE, KEY_INVALID
 */
export function publicKeyFromFile(text: string, what: string): PublicKey {
  const line = text.trimStart();
  return line.startsWith("ssh-ed25519 ") ? publicKeyFromOpenSsh(line, what) : publicKeyFromPem(text, what);
}

/** PEM block `PUBLIC KEY`, with a final newline. */
export function publicKeyToPem(key: PublicKey): string {
  return key.keyObject.export({ type: "spki", format: "pem" }).toString();
}

/** Whether this key made `signature` (64 bytes) over `message`. */
export function verifiesSignature(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  return signature.length === signatureBytes && verify(null, message, key.keyObject, signature);
}
