import { checkSchema } from "../../src/domain/check-schema.js";
import { ApprovalPredicateSchema, type ApprovalPredicateWire } from "../../src/domain/signed.js";
import type { HistoryEntry } from "../../src/history/entry.js";
import type { History } from "../../src/history/open.js";
import { getBlob, listEntries } from "../../src/history/read.js";
import { openStatement } from "./open-statement.js";

/** A signed decision about a bundle, as the history keeps it. */
export interface KeptDecision {
  readonly entry: number;
  readonly at: string;
  readonly record: string;
  readonly approver: string;
  readonly environment: string;
  readonly decision: "approve" | "reject";
  readonly not_before: string;
  readonly expires: string;
  readonly reason: string;
  /** Why failed gates were overridden; null when none were. */
  readonly gate_override: string | null;
  /** Digest of the release summary that the approver read. */
  readonly summary_sha256: string;
}

/** An approval or a rejection of the history. */
export interface KeptApproval {
  readonly entry: HistoryEntry;
  readonly bytes: Buffer;
  readonly bundleId: string | undefined;
  readonly predicate: ApprovalPredicateWire;
}

/** Approvals and rejections, oldest first. @param until  UTC, whole seconds; all when absent */
export function keptApprovals(history: History, until?: string): readonly KeptApproval[] {
  return listEntries(history, { kind: "approval", until }).map((entry): KeptApproval => {
    const bytes = getBlob(history, entry.sha256);
    const { statement } = openStatement(bytes, `approval of entry ${entry.seq}`);
    const predicate = checkSchema(ApprovalPredicateSchema, statement.predicate, `approval of entry ${entry.seq}`);
    return { entry, bytes, bundleId: statement.subject[0]?.digest["sha256"], predicate };
  });
}

/** A decision without its signature, which nothing here verifies. */
export function keptDecision({ entry, predicate }: KeptApproval): KeptDecision {
  const { approver, environment, decision, not_before, expires, reason, gate_override, summary_sha256 } = predicate;
  return {
    entry: entry.seq,
    at: entry.at,
    record: entry.sha256,
    approver,
    environment,
    decision,
    not_before,
    expires,
    reason,
    gate_override,
    summary_sha256,
  };
}
