import { canonicalBytes } from "../../src/base/canonical-json.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { type Envelope, type Statement, StatementSchema, statementPayloadType } from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { preAuthEncoding } from "../../src/trust/verify/open-envelope.js";
import { verifiesSignature, type PublicKey, publicKeyFromPem } from "../../src/trust/public-key.js";
import { maxEnvelopeBytes } from "../../src/trust/statements.js";
import { readStrictJson } from "../../src/trust/strict-json.js";
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Sha256 } from "../../src/base/sha256.js";

export interface SignedStatement {
  readonly envelope: Envelope;
  /** Canonical bytes of the envelope, as stored in bundles and the history. */
  readonly envelopeBytes: Buffer;
  /** The bytes of the statement that were signed. */
  readonly payload: Buffer;
}

/** Signs a payload of the given type. @throws {SluiceError} SIGNATURE_INVALID  the new signature does not verify */
export async function signPayload(
  payloadType: string,
  payload: Uint8Array,
  signer: Signer,
): Promise<Envelope["signatures"][number]> {
  const message = preAuthEncoding(payloadType, payload);
  const signature = await signer.sign(message);
  if (!verifiesSignature(signer.publicKey, message, signature)) {
    throw new SluiceError("SIGNATURE_INVALID", `the signature by key ${signer.keyId} does not verify`);
  }
  return { keyid: signer.keyId, sig: signature.toString("base64") };
}

/**
 * Signs a statement. Refuses statements that the strict reader would refuse, and verifies the new signature before
 * returning it.
 * @throws {SluiceError} DOCUMENT_INVALID, NOT_CANONICAL, TOO_LARGE, SIGNATURE_INVALID
 */
export async function signStatement(statement: Statement, signer: Signer): Promise<SignedStatement> {
  const payload = canonicalBytes(checkSchema(StatementSchema, statement, "statement"));
  readStrictJson(payload, "statement");
  const envelope: Envelope = {
    payload: payload.toString("base64"),
    payloadType: statementPayloadType,
    signatures: [await signPayload(statementPayloadType, payload, signer)],
  };
  const envelopeBytes = canonicalBytes(envelope);
  readStrictJson(envelopeBytes, "envelope", maxEnvelopeBytes);
  return { envelope, envelopeBytes, payload };
}

/** Signs with a private key in a key file, an agent or a hardware module. */
export interface Signer {
  /** SHA-256 of the public key's SPKI DER, lower-case hex. */
  readonly keyId: Sha256;
  readonly publicKey: PublicKey;
  /** Ed25519 signature (64 bytes) over the pre-authentication encoding. */
  sign(message: Uint8Array): Promise<Buffer>;
}

/**
 * A signer, or a function that opens one after all other checks, so that a passphrase is only requested when needed.
 */
export type SignerSource = Signer | (() => Promise<Signer>);

/** Opens a signer if necessary. */
export const openSigner = async (source: SignerSource): Promise<Signer> =>
  typeof source === "function" ? source() : source;

/** Signer for an Ed25519 private key in memory. @throws {SluiceError} KEY_INVALID */
export function signerFromPrivateKey(privateKey: KeyObject, what: string): Signer {
  const pem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  const publicKey = publicKeyFromPem(pem, what);
  return { keyId: publicKey.keyId, publicKey, sign: async (message) => sign(null, message, privateKey) };
}
