import { canonicalBytes } from "../../src/base/canonical-json.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { type Envelope, type Statement, StatementSchema, statementPayloadType } from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { preAuthEncoding } from "../../src/trust/pae.js";
import { verifiesSignature } from "../../src/trust/public-key.js";
import { maxEnvelopeBytes } from "../../src/trust/statements.js";
import { readStrictJson } from "../../src/trust/strict-json.js";
import type { Signer } from "./signer.js";

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
 * @throws {SluiceError} SCHEMA_INVALID, NOT_CANONICAL, NOT_NFC, TOO_LARGE, SIGNATURE_INVALID
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
