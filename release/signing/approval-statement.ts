import { checkSchema } from "../../src/documents/check-schema.js";
import type { BundleId } from "../../src/documents/primitives.js";
import {
  ApprovalSchema,
  type Approval,
  predicateTypes,
  type Statement,
  statementType,
} from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { parseTime } from "../../src/trust/validity.js";

/** Subject of an approval. */
export interface ApprovedBundle {
  readonly bundleId: BundleId;
  /** Informational; the id is authoritative. */
  readonly bundleVersion: string;
}

/**
 * Builds the statement that approves or rejects one bundle.
 * @throws {SluiceError} SCHEMA_INVALID, VALIDITY_ORDER
 */
export function approvalStatement(bundle: ApprovedBundle, predicate: Approval): Statement {
  checkSchema(ApprovalSchema, predicate, "approval");
  const notBefore = parseTime(predicate.not_before, "approval: not_before");
  const expires = parseTime(predicate.expires, "approval: expires");
  if (expires <= notBefore) {
    throw new SluiceError("VALIDITY_ORDER", `approval: expires at ${predicate.expires}, before it begins`);
  }
  return {
    _type: statementType,
    subject: [{ name: bundle.bundleVersion, digest: { sha256: bundle.bundleId } }],
    predicateType: predicateTypes.approval,
    predicate,
  };
}
