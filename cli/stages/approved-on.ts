import { parseTrustPolicy, requireCurrentTrust, type TrustStore } from "../../src/artifacts/trust-policy.js";
import { countApprovals } from "../../src/artifacts/verify/count-approvals.js";
import { openManifest as verifyManifest } from "../../src/artifacts/verify/open-manifest.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { ApprovalPredicateSchema, type ApprovalPredicateWire } from "../../src/domain/signed.js";
import { SluiceError } from "../../src/errors/error.js";
import type { HistoryEntry } from "../../src/history/entry.js";
import type { History } from "../../src/history/open.js";
import { getBlob, listEntries } from "../../src/history/read.js";
import { openStatement } from "./open-statement.js";
import { manifestOf } from "./read-manifest.js";

export interface ApprovalQuestionOfDay {
  readonly environment: string;
  /** UTC, whole seconds; entries after it are left out. */
  readonly on: string;
  /** The trust policy that judges; the history does not keep it. */
  readonly trustPolicyBytes: Uint8Array;
}

/** A signed decision about a bundle, as the history keeps it. */
export interface KeptDecision {
  readonly entry: number;
  readonly at: string;
  readonly record: string;
  readonly approver: string;
  readonly decision: "approve" | "reject";
  readonly not_before: string;
  readonly expires: string;
  readonly reason: string;
  /** Digest of the release summary that the approver read. */
  readonly summary_sha256: string;
}

/** One bundle that somebody decided about for the environment. */
export interface BundleOnDay {
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly entry: number;
  readonly approved: boolean;
  /** People whose approval counted. */
  readonly approvers: readonly string[];
  readonly decisions: readonly KeptDecision[];
  /** What the manifest names as evidence: reports and the records behind them. */
  readonly evidence: readonly { readonly name: string; readonly sha256: string }[];
  /** Why it was not approved; empty when it was. */
  readonly problems: readonly string[];
}

interface KeptApproval {
  readonly entry: HistoryEntry;
  readonly bytes: Buffer;
  readonly bundleId: string | undefined;
  readonly predicate: ApprovalPredicateWire;
}

function approvalsUntil(history: History, { on, environment }: ApprovalQuestionOfDay): readonly KeptApproval[] {
  return listEntries(history, { kind: "approval", until: on })
    .map((entry): KeptApproval => {
      const bytes = getBlob(history, entry.sha256);
      const { statement } = openStatement(bytes, `approval of entry ${entry.seq}`);
      const predicate = checkSchema(ApprovalPredicateSchema, statement.predicate, `approval of entry ${entry.seq}`);
      return { entry, bytes, bundleId: statement.subject[0]?.digest["sha256"], predicate };
    })
    .filter(({ predicate }) => predicate.environment === environment);
}

function keptDecision({ entry, predicate }: KeptApproval): KeptDecision {
  const { approver, decision, not_before, expires, reason, summary_sha256 } = predicate;
  return {
    entry: entry.seq,
    at: entry.at,
    record: entry.sha256,
    approver,
    decision,
    not_before,
    expires,
    reason,
    summary_sha256,
  };
}

interface Verdict {
  readonly approvers: readonly string[];
  readonly problems: readonly string[];
}

/** The same judgement as at the start of a server, at another time. */
function judge(
  envelope: Buffer,
  approvals: readonly KeptApproval[],
  trust: TrustStore,
  { environment, on }: ApprovalQuestionOfDay,
): Verdict {
  const now = new Date(on);
  try {
    requireCurrentTrust(trust, now);
    const { bundleId, producers } = verifyManifest(envelope, trust, now, "manifest");
    const files = approvals.map(({ entry, bytes }) => ({ file: `entry ${entry.seq}`, bytes }));
    // The revocation list is a file of its own and no entry of the history.
    const isRevoked = (): boolean => false;
    const { counted, problems } = countApprovals(files, { trust, bundleId, producers, environment, now, isRevoked });
    return { approvers: counted.map(({ principal }) => principal), problems: problems.map(({ message }) => message) };
  } catch (thrown) {
    if (thrown instanceof SluiceError) return { approvers: [], problems: [thrown.message] };
    throw thrown;
  }
}

/**
 * What was approved for an environment at a time, by whom and with which evidence: every bundle that somebody had
 * decided about by then, judged by the trust policy as a server would have judged it. Newest manifest first.
 */
export function approvedOn(history: History, question: ApprovalQuestionOfDay): readonly BundleOnDay[] {
  const trust = parseTrustPolicy(question.trustPolicyBytes);
  const approvals = approvalsUntil(history, question);
  return listEntries(history, { kind: "manifest", until: question.on })
    .toReversed()
    .flatMap((entry): readonly BundleOnDay[] => {
      const { bundleId, envelopeBytes, predicate } = manifestOf(history, entry.sha256);
      const own = approvals.filter((approval) => approval.bundleId === bundleId);
      if (own.length === 0) return [];
      const { approvers, problems } = judge(envelopeBytes, own, trust, question);
      const { bundle_version, producer, evidence } = predicate;
      const approved = problems.length === 0;
      const decisions = own.map(keptDecision);
      return [
        {
          bundle_id: bundleId,
          bundle_version,
          producer,
          entry: entry.seq,
          approved,
          approvers,
          decisions,
          evidence,
          problems,
        },
      ];
    });
}
