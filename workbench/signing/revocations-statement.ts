import { checkSchema } from "../../src/domain/check-schema.js";
import {
  predicateTypes,
  RevocationsPredicateSchema,
  type RevocationsPredicateWire,
  type Statement,
  statementType,
} from "../../src/domain/signed.js";
import { SluiceError } from "../../src/errors/error.js";
import { revocationSubjects } from "../../src/artifacts/statements.js";
import { parseTime } from "../../src/artifacts/validity.js";

type Revoked = RevocationsPredicateWire["revoked"][number];

/** Additions to a list, and their time. */
export interface RevocationUpdate {
  readonly revoker: string;
  readonly issuedAt: string;
  readonly nextUpdate: string;
  /** Nothing to add renews the list. */
  readonly add: readonly Pick<Revoked, "kind" | "sha256" | "reason">[];
}

/** The successor of a list; existing revocations are unchanged. */
export function nextRevocations(
  before: RevocationsPredicateWire | null,
  { revoker, issuedAt, nextUpdate, add }: RevocationUpdate,
): RevocationsPredicateWire {
  const sequence = (before?.sequence ?? 0) + 1;
  const kept = before?.revoked ?? [];
  const isNew = ({ kind, sha256 }: { readonly kind: string; readonly sha256: string }): boolean =>
    !kept.some((entry) => entry.kind === kind && entry.sha256 === sha256);
  const added = add.filter(isNew).map((entry) => ({ sequence, ...entry, revoked_at: issuedAt }));
  return {
    schema_version: 1,
    sequence,
    revoker,
    issued_at: issuedAt,
    next_update: nextUpdate,
    revoked: [...kept, ...added],
  };
}

/**
 * Statement of a revocation list.
 * @throws {SluiceError} SCHEMA_INVALID, VALIDITY_ORDER
 */
export function revocationsStatement(predicate: RevocationsPredicateWire): Statement {
  checkSchema(RevocationsPredicateSchema, predicate, "revocations");
  const issuedAt = parseTime(predicate.issued_at, "revocations: issued_at");
  if (parseTime(predicate.next_update, "revocations: next_update") <= issuedAt) {
    throw new SluiceError("VALIDITY_ORDER", "revocations: next_update is not later than issued_at");
  }
  return {
    _type: statementType,
    subject: revocationSubjects(predicate),
    predicateType: predicateTypes.revocations,
    predicate,
  };
}
