import type { StatedReproduction } from "../src/documents/signed.js";
import type { HistoryEntry } from "../store/history/entry.js";
import type { History } from "../store/history/open.js";
import { listEntries } from "../store/history/read.js";
import { readRecord } from "../store/records/read-records.js";
import type { ApprovalRecord } from "../store/records/record-readers.js";

/** A signed decision about a bundle, as stored in the history. */
export interface StoredDecision {
  readonly entry: number;
  readonly at: string;
  readonly record: string;
  readonly approver: string;
  readonly environment: string;
  readonly decision: "approve" | "reject";
  readonly not_before: string;
  readonly expires: string;
  readonly reason: string;
  /** Why failed gates were overridden; null if none were. */
  readonly gate_override: string | null;
  /** Digest of the release page that the approver read. */
  readonly page_sha256: string;
  /** What the approver reproduced before signing; null if the decision states nothing. */
  readonly reproduction: StatedReproduction | null;
}

/** An approval or a rejection in the history. */
export interface StoredApproval extends ApprovalRecord {
  readonly entry: HistoryEntry;
  readonly bytes: Buffer;
}

/** Approvals and rejections in the history, oldest first. @param until  UTC, whole seconds; by default all */
export function keptApprovals(history: History, until?: string): readonly StoredApproval[] {
  return listEntries(history, { kind: "approval", until }).map((entry): StoredApproval => {
    const { bytes, document } = readRecord(history, "approval", entry.sha256);
    return { entry, bytes, ...document };
  });
}

/** A stored decision without its signature, which is not verified here. */
export function keptDecision({ entry, predicate }: StoredApproval): StoredDecision {
  const { approver, environment, decision, not_before, expires, reason, gate_override, page_sha256 } = predicate;
  const { reproduction = null } = predicate;
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
    page_sha256,
    reproduction,
  };
}
