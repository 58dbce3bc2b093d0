import { checkSchema } from "../../src/documents/check-schema.js";
import {
  ManifestSchema,
  type Manifest,
  predicateTypes,
  type Statement,
  statementType,
  ApprovalSchema,
  type Approval,
  RevocationListSchema,
  type RevocationList,
} from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { comparePaths, dirHash1 } from "../../src/trust/directory-hash.js";
import { checkRelativePath } from "../../src/trust/file-name.js";
import { manifestSubjects, revocationSubjects } from "../../src/trust/statements.js";
import { parseTime } from "../../src/trust/validity.js";
import type { BundleId } from "../../src/documents/primitives.js";

function checkModel(model: Manifest["retriever"], role: string): void {
  for (const { path } of model.files) checkRelativePath(path);
  const paths = model.files.map((file) => file.path);
  const sorted = paths.every((path, i) => i === 0 || comparePaths(paths[i - 1] ?? "", path) < 0);
  if (sorted && dirHash1(model.files) === model.dir_hash1) return;
  throw new SluiceError("IDENTITY_MISMATCH", `${role}: files are not in path order, or dir_hash1 does not match them`);
}

/**
 * Builds the statement of a manifest. Its subjects repeat the digests in the predicate.
 * @throws {SluiceError} DOCUMENT_INVALID, FILE_REFUSED, IDENTITY_MISMATCH (a model's dir_hash1 does not match its files)
 */
export function manifestStatement(predicate: Manifest): Statement {
  checkSchema(ManifestSchema, predicate, "manifest");
  parseTime(predicate.created_at, "manifest: created_at");
  if (predicate.rollback_floor > predicate.release) {
    throw new SluiceError("IDENTITY_MISMATCH", "manifest: rollback_floor is above its own release");
  }
  checkModel(predicate.retriever, "manifest: retriever");
  checkModel(predicate.verifier, "manifest: verifier");
  for (const { name } of predicate.evidence) checkRelativePath(name);
  return {
    _type: statementType,
    subject: manifestSubjects(predicate),
    predicateType: predicateTypes.manifest,
    predicate,
  };
}

interface ApprovedBundle {
  readonly bundleId: BundleId;
  /** Informational; the id is authoritative. */
  readonly bundleVersion: string;
}

/**
 * Builds the statement that approves or rejects one bundle.
 * @throws {SluiceError} DOCUMENT_INVALID, VALIDITY_INVALID
 */
export function approvalStatement(bundle: ApprovedBundle, predicate: Approval): Statement {
  checkSchema(ApprovalSchema, predicate, "approval");
  const notBefore = parseTime(predicate.not_before, "approval: not_before");
  const expires = parseTime(predicate.expires, "approval: expires");
  if (expires <= notBefore) {
    throw new SluiceError("VALIDITY_INVALID", `approval: expires at ${predicate.expires}, before it begins`);
  }
  return {
    _type: statementType,
    subject: [{ name: bundle.bundleVersion, digest: { sha256: bundle.bundleId } }],
    predicateType: predicateTypes.approval,
    predicate,
  };
}

type Revoked = RevocationList["revoked"][number];

interface RevocationUpdate {
  readonly revoker: string;
  readonly issuedAt: string;
  readonly nextUpdate: string;
  /** An empty list renews the revocation list without additions. */
  readonly add: readonly Pick<Revoked, "kind" | "sha256" | "reason">[];
}

/**
 * Builds the next revocation list. It contains every revocation of the earlier lists, unchanged.
 * @param before  all known lists in any order, empty for the first list; lists with the same number are merged
 */
export function nextRevocations(
  before: readonly RevocationList[],
  { revoker, issuedAt, nextUpdate, add }: RevocationUpdate,
): RevocationList {
  const sequence = Math.max(0, ...before.map((list) => list.sequence)) + 1;
  const keyOf = ({ kind, sha256 }: Pick<Revoked, "kind" | "sha256">): string => `${kind} ${sha256}`;
  const known = new Map<string, Revoked>();
  for (const one of before.flatMap(({ revoked }) => revoked).sort((a, b) => a.sequence - b.sequence)) {
    if (!known.has(keyOf(one))) known.set(keyOf(one), one);
  }
  const kept = [...known.values()];
  const added = add.filter((one) => !known.has(keyOf(one))).map((one) => ({ sequence, ...one, revoked_at: issuedAt }));
  return {
    schema_version: 1,
    sequence,
    revoker,
    issued_at: issuedAt,
    next_update: nextUpdate,
    revoked: [...kept, ...added],
  };
}

/** Builds the statement of a revocation list. @throws {SluiceError} DOCUMENT_INVALID, VALIDITY_INVALID */
export function revocationsStatement(predicate: RevocationList): Statement {
  checkSchema(RevocationListSchema, predicate, "revocations");
  const issuedAt = parseTime(predicate.issued_at, "revocations: issued_at");
  if (parseTime(predicate.next_update, "revocations: next_update") <= issuedAt) {
    throw new SluiceError("VALIDITY_INVALID", "revocations: next_update is not later than issued_at");
  }
  return {
    _type: statementType,
    subject: revocationSubjects(predicate),
    predicateType: predicateTypes.revocations,
    predicate,
  };
}
