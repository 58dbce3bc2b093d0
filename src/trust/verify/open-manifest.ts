import { canonicalJson } from "../../base/canonical-json.js";
import type { BundleId } from "../../documents/primitives.js";
import { checkSchema } from "../../documents/check-schema.js";
import { ManifestSchema, type Manifest, predicateTypes } from "../../documents/signed.js";
import { SluiceError } from "../../base/error.js";
import { checkRelativePath } from "../file-name.js";
import { printable } from "../../base/text.js";
import { evaluationEvidence } from "../bundle-layout.js";
import { bundleIdOf, manifestSubjects } from "../statements.js";
import type { TrustedKey, TrustStore } from "../trust-policy.js";
import { parseTime } from "../validity.js";
import { openEnvelope, requireValidKey } from "./open-envelope.js";

/** A manifest signed by a producer of the trust policy. */
export interface OpenedManifest {
  readonly bundleId: BundleId;
  readonly predicate: Manifest;
  /** Everybody who signed the manifest. They may not approve it. */
  readonly producers: ReadonlySet<string>;
  readonly signerKeyIds: readonly string[];
  /** Expiry of the producer's key, in milliseconds since 1970 UTC. */
  readonly keyExpires: number;
}

/** The documents that a reproduction must match. */
export interface ClaimDigests {
  readonly calibration: string;
  /** null if the manifest names no evaluation, so that its claim cannot be reproduced. */
  readonly evaluation: string | null;
}

/** Digests of the documents that a manifest's claim consists of. */
export function claimDigests({ calibration, evidence }: Manifest): ClaimDigests {
  const evaluation = evidence.find(({ name }) => name === evaluationEvidence);
  return { calibration: calibration.sha256, evaluation: evaluation?.sha256 ?? null };
}

/** The stated producer of a bundle, with the trusted keys that signed it. */
export interface NamedProducer {
  readonly producer: string;
  readonly signers: readonly TrustedKey[];
}

/**
 * Returns the producer's signing key, after or before signing.
 * @throws {SluiceError} SIGNATURE_INVALID, ROLE_MISMATCH, EXPIRED, NOT_YET_VALID
 */
export function requireProducer(
  { producer, signers }: NamedProducer,
  trust: TrustStore,
  now: Date,
  what: string,
): TrustedKey {
  const own = signers.filter((key) => key.principal === producer);
  if (own.length === 0) {
    throw new SluiceError("SIGNATURE_INVALID", `${what}: no key of its producer "${printable(producer)}" signed it`);
  }
  if (!trust.policy.roles.producer.includes(producer)) {
    throw new SluiceError("ROLE_MISMATCH", `${what}: "${printable(producer)}" signed it but is not a producer`);
  }
  return requireValidKey(own, trust, now, what);
}

/**
 * Verifies the manifest envelope: the producer that it names must have signed it, in that role, with a currently valid
 * key.
 * @throws {SluiceError} the codes of `openEnvelope`; DOCUMENT_INVALID, SIGNATURE_INVALID, ROLE_MISMATCH, EXPIRED,
 *   NOT_YET_VALID, FILE_REFUSED, IDENTITY_MISMATCH (subjects and predicate disagree)
 */
export function openManifest(bytes: Uint8Array, trust: TrustStore, now: Date, what: string): OpenedManifest {
  const { payload, statement, signers } = openEnvelope(bytes, predicateTypes.manifest, trust.keys, what);
  const predicate = checkSchema(ManifestSchema, statement.predicate, `${what}: predicate`);
  for (const { path } of [...predicate.retriever.files, ...predicate.verifier.files]) checkRelativePath(path);
  parseTime(predicate.created_at, `${what}: created_at`);
  if (canonicalJson(statement.subject) !== canonicalJson(manifestSubjects(predicate))) {
    throw new SluiceError("IDENTITY_MISMATCH", `${what}: the subjects do not match the digests of the predicate`);
  }
  const key = requireProducer({ producer: predicate.producer, signers }, trust, now, what);
  const producers = new Set(signers.map((signer) => signer.principal));
  if (predicate.rollback_floor > predicate.release) {
    throw new SluiceError("IDENTITY_MISMATCH", `${what}: rollback_floor is above its own release`);
  }
  const signerKeyIds = signers.map(({ keyId }) => keyId);
  return { bundleId: bundleIdOf(payload), predicate, producers, signerKeyIds, keyExpires: key.expires };
}
