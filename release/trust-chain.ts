import { canonicalBytes } from "../src/base/canonical-json.js";
import { type Envelope, trustPayloadType } from "../src/documents/signed.js";
import { SluiceError } from "../src/base/error.js";
import { signPayload, type Signer } from "./signing/sign-statement.js";
import { maxEnvelopeBytes } from "../src/trust/statements.js";
import { readStrictJson } from "../src/trust/strict-json.js";
import { parseTrustPolicy, type TrustStore } from "../src/trust/trust-policy.js";
import { findSigners, type ReadEnvelope, readEnvelope } from "../src/trust/verify/open-envelope.js";

const what = "trust policy";

/** A trust policy signed by its own roots and by those of the previous policy. */
export interface TrustUpdate {
  readonly policyBytes: Buffer;
  readonly trust: TrustStore;
}

function isEnvelope(bytes: Uint8Array): boolean {
  const document = readStrictJson(bytes, what, maxEnvelopeBytes);
  return typeof document === "object" && document !== null && "payloadType" in document;
}

/**
 * Adds a signature to a trust policy, given as canonical bytes or as an envelope with earlier signatures.
 * @returns canonical bytes of the envelope
 * @throws {SluiceError} the codes of `readEnvelope` and `parseTrustPolicy`; SIGNATURE_INVALID
 */
export async function signTrustPolicy(bytes: Uint8Array, signer: Signer): Promise<Buffer> {
  const read = isEnvelope(bytes) ? readEnvelope(bytes, what, trustPayloadType) : null;
  const payload = read?.payload ?? Buffer.from(bytes);
  parseTrustPolicy(payload);
  const others = read?.envelope.signatures.filter(({ keyid }) => keyid !== signer.keyId) ?? [];
  const signature = await signPayload(trustPayloadType, payload, signer);
  const envelope: Envelope = {
    payload: payload.toString("base64"),
    payloadType: trustPayloadType,
    signatures: [...others, signature],
  };
  return canonicalBytes(envelope);
}

/**
 * Requires enough distinct people (not keys) to have signed as roots of a policy with a currently valid key of that
 * policy.
 */
function requireRoots(read: ReadEnvelope, trust: TrustStore, now: Date, whose: string): void {
  const { threshold, principals } = trust.policy.roles.root;
  const time = now.getTime();
  const valid = trust.keys.filter(
    (key) => time >= key.notBefore - trust.clockSkewMs && time < key.expires + trust.clockSkewMs,
  );
  const people = new Set(findSigners(read, valid).map((key) => key.principal));
  const count = principals.filter((name) => people.has(name)).length;
  if (count >= threshold) return;
  const { version } = trust.policy;
  throw new SluiceError(
    "TRUST_THRESHOLD",
    `${what}: ${count} of ${threshold} roots of ${whose} version ${version} signed it`,
  );
}

/**
 * Verifies the next version of a trust policy: its number must be exactly one above the current one, and the root
 * thresholds of both versions must be met. Changes nothing. The current policy may have expired; the next one must be
 * valid.
 * @throws {SluiceError} the codes of `readEnvelope` and `parseTrustPolicy`; VERSION_ROLLBACK, TRUST_CHAIN_GAP,
 *   TRUST_THRESHOLD
 */
export function openTrustUpdate(envelopeBytes: Uint8Array, current: TrustStore, now: Date): TrustUpdate {
  const read = readEnvelope(envelopeBytes, what, trustPayloadType);
  const trust = parseTrustPolicy(read.payload);
  const [old, next] = [current.policy.version, trust.policy.version];
  if (next <= old) {
    throw new SluiceError("VERSION_ROLLBACK", `${what}: version ${next} is offered, version ${old} is in force`);
  }
  if (next !== old + 1) {
    throw new SluiceError("TRUST_CHAIN_GAP", `${what}: found version ${next}, expected the next version, ${old + 1}`);
  }
  requireRoots(read, current, now, "the current");
  requireRoots(read, trust, now, "the new");
  return { policyBytes: read.payload, trust };
}
