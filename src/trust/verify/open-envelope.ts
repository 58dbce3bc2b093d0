import { checkSchema } from "../../documents/check-schema.js";
import {
  type Envelope,
  EnvelopeSchema,
  maxSignatures,
  maxTriesPerKey,
  type Statement,
  StatementSchema,
  statementPayloadType,
} from "../../documents/signed.js";
import { SluiceError } from "../../base/error.js";
import { decodeBase64 } from "../base64.js";
import { verifiesSignature } from "../public-key.js";
import { maxEnvelopeBytes } from "../statements.js";
import { readStrictJson } from "../strict-json.js";
import type { TrustedKey, TrustStore } from "../trust-policy.js";
import { validityState } from "../validity.js";

/** An unverified envelope. Its payload was decoded once, and every later step uses this buffer. */
export interface ReadEnvelope {
  readonly envelope: Envelope;
  readonly payload: Buffer;
}

/** A verified statement with all trusted keys that signed it. */
export interface OpenedEnvelope extends ReadEnvelope {
  readonly statement: Statement;
  /** At least one key, without duplicates. */
  readonly signers: readonly TrustedKey[];
}

/**
 * Reads an envelope from its canonical bytes.
 * @throws {SluiceError} the codes of `readStrictJson`; ENVELOPE_INVALID, NOT_CANONICAL
 */
export function readEnvelope(bytes: Uint8Array, what: string, payloadType = statementPayloadType): ReadEnvelope {
  const document = readStrictJson(bytes, what, maxEnvelopeBytes);
  const envelope = checkSchema(EnvelopeSchema, document, what, "ENVELOPE_INVALID");
  const count = envelope.signatures.length;
  if (count > maxSignatures) {
    throw new SluiceError("ENVELOPE_INVALID", `${what}: ${count} signatures, at most ${maxSignatures} are accepted`);
  }
  if (envelope.payloadType !== payloadType) {
    throw new SluiceError("ENVELOPE_INVALID", `${what}: the payload type is not ${payloadType}`);
  }
  return { envelope, payload: decodeBase64(envelope.payload, `${what}: payload`) };
}

/** Decodes a signature. A malformed one verifies nothing, and must not hide a valid one next to it. */
function signatureBytes(text: string): Buffer {
  try {
    return decodeBase64(text, "signature");
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * Finds the keys that really signed. A signature with a key id is tried only with that key; one without an id, which
 * DSSE allows, is tried with every key. Unknown ids cost nothing, and each key is tried at most `maxTriesPerKey` times,
 * so the number of keys bounds the work, not the envelope.
 */
export function findSigners({ envelope, payload }: ReadEnvelope, keys: readonly TrustedKey[]): readonly TrustedKey[] {
  const byId = new Map<string, TrustedKey>(keys.map((key) => [key.keyId, key]));
  const known = envelope.signatures.filter(({ keyid }) => keyid === "" || byId.has(keyid));
  if (known.length === 0) return [];
  const message = preAuthEncoding(envelope.payloadType, payload);
  const signers = new Set<TrustedKey>();
  const tries = new Map<TrustedKey, number>();
  for (const { keyid, sig } of known) {
    const signature = signatureBytes(sig);
    if (signature.length === 0) continue;
    for (const key of keyid === "" ? keys : [byId.get(keyid)]) {
      if (key === undefined || signers.has(key)) continue;
      const tried = tries.get(key) ?? 0;
      if (tried === maxTriesPerKey) continue;
      tries.set(key, tried + 1);
      if (verifiesSignature(key, message, signature)) signers.add(key);
    }
  }
  return [...signers];
}

/**
 * Parses a payload as a statement of one kind.
 * @throws {SluiceError} the codes of `readStrictJson`; DOCUMENT_INVALID, ENVELOPE_INVALID
 */
export function readStatement(payload: Buffer, predicateType: string, what: string): Statement {
  const statement = checkSchema(StatementSchema, readStrictJson(payload, `${what}: payload`), `${what}: payload`);
  if (statement.predicateType === predicateType) return statement;
  throw new SluiceError("ENVELOPE_INVALID", `${what}: the statement is not of the kind ${predicateType}`);
}

/**
 * Reads an envelope, finds the trusted keys that signed it, and only then parses the verified buffer.
 * @param keys  all keys to try; the caller checks their roles
 * @throws {SluiceError} the codes of `readEnvelope` and `readStatement`; SIGNATURE_INVALID if no key signed it
 */
export function openEnvelope(
  bytes: Uint8Array,
  predicateType: string,
  keys: readonly TrustedKey[],
  what: string,
): OpenedEnvelope {
  const read = readEnvelope(bytes, what);
  const signers = findSigners(read, keys);
  if (signers.length === 0) {
    const found = read.envelope.signatures.length;
    throw new SluiceError("SIGNATURE_INVALID", `${what}: none of ${found} signatures is by a key of the trust policy`);
  }
  return { ...read, signers, statement: readStatement(read.payload, predicateType, what) };
}

/**
 * Pre-authentication encoding of DSSE v1: the bytes that a signature covers. Lengths are byte counts.
 * Source: https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md
 */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Buffer {
  const typeBytes = Buffer.byteLength(payloadType, "utf8");
  return Buffer.concat([Buffer.from(`DSSEv1 ${typeBytes} ${payloadType} ${payload.length} `, "utf8"), payload]);
}

/**
 * Of the keys that signed, returns the currently valid one that expires last.
 * @throws {SluiceError} EXPIRED, or NOT_YET_VALID if one becomes valid later
 */
export function requireValidKey(keys: readonly TrustedKey[], trust: TrustStore, now: Date, what: string): TrustedKey {
  const states = keys.map((key) => validityState(key, now.getTime(), trust.clockSkewMs));
  const [valid] = keys.filter((_, index) => states[index] === "VALID").sort((a, b) => b.expires - a.expires);
  if (valid !== undefined) return valid;
  const code = states.includes("NOT_YET_VALID") ? "NOT_YET_VALID" : "EXPIRED";
  throw new SluiceError(code, `${what}: the signing key is ${code === "EXPIRED" ? "expired" : "not valid yet"}`);
}
