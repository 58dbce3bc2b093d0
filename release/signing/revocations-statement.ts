import { checkSchema } from "../../src/documents/check-schema.js";
import {
  predicateTypes,
  RevocationListSchema,
  type RevocationList,
  type Statement,
  statementType,
} from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { revocationSubjects } from "../../src/trust/statements.js";
import { parseTime } from "../../src/trust/validity.js";

type Revoked = RevocationList["revoked"][number];

/** Additions to a revocation list, and their time. */
export interface RevocationUpdate {
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

/**
 * Builds the statement of a revocation list.
 * @throws {SluiceError} SCHEMA_INVALID, VALIDITY_ORDER
 */
export function revocationsStatement(predicate: RevocationList): Statement {
  checkSchema(RevocationListSchema, predicate, "revocations");
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
