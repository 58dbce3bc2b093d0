import { createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Sha256 } from "../../src/base/sha256.js";
import { type PublicKey, publicKeyFromPem } from "../../src/trust/public-key.js";

/** Signs with a private key in a key file, an agent or a hardware module. */
export interface Signer {
  /** SHA-256 of the public key's SPKI DER, lower-case hex. */
  readonly keyId: Sha256;
  readonly publicKey: PublicKey;
  /** Ed25519 signature (64 bytes) over the pre-authentication encoding. */
  sign(message: Uint8Array): Promise<Buffer>;
}

/**
 * Signer for an Ed25519 private key in memory.
 * @throws {SluiceError} KEY_INVALID, KEY_WEAK
 */
export function signerFromPrivateKey(privateKey: KeyObject, what: string): Signer {
  const pem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  const publicKey = publicKeyFromPem(pem, what);
  return { keyId: publicKey.keyId, publicKey, sign: async (message) => sign(null, message, privateKey) };
}
