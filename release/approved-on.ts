import { artifactDigests } from "../src/trust/statements.js";
import { parseTrustPolicy, requireCurrentTrust, type TrustStore } from "../src/trust/trust-policy.js";
import { readEnvelope } from "../src/trust/verify/open-envelope.js";
import type { Revocations } from "../src/trust/verify/revocations.js";
import { judgeSigned } from "../src/trust/verify/verify-signed.js";
import { sha256Hex } from "../src/base/sha256.js";
import { SluiceError } from "../src/base/error.js";
import type { History } from "../store/history/open.js";
import { listEntries } from "../store/history/read.js";
import {
  keptApprovals,
  type StoredApproval,
  type StoredDecision,
  keptDecision,
  type StoredRevocation,
  revocationsOn,
} from "./kept-statements.js";
import { openStatement } from "../store/records/open-statement.js";
import { type StoredManifest, manifestOf } from "./read-signed.js";

export interface ApprovalQuestionOfDay {
  readonly environment: string;
  /** UTC, whole seconds; later entries are ignored. */
  readonly on: string;
  /** The trust policy. It is never read from the history, because it judges the decisions in that history. */
  readonly trustPolicyBytes: Uint8Array;
  /** A revocation list in addition to those in the history; null if there is none. */
  readonly revocationBytes: Buffer | null;
}

/** A bundle for which the environment has a decision. */
export interface BundleOnDay {
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly entry: number;
  readonly approved: boolean;
  /** People whose approvals counted. */
  readonly approvers: readonly string[];
  readonly decisions: readonly StoredDecision[];
  /** Everything revoked by then: the bundle itself, its approvals, its files, the keys that signed it. */
  readonly revocations: readonly StoredRevocation[];
  /** Evidence named by the manifest: reports and their records. */
  readonly evidence: readonly { readonly name: string; readonly sha256: string }[];
  /** Why the bundle was not approved; empty if it was. */
  readonly problems: readonly string[];
}

interface Verdict {
  readonly approvers: readonly string[];
  readonly problems: readonly string[];
}

/** Judges a bundle as a server start would at the given time. */
function judge(
  envelope: Buffer,
  approvals: readonly StoredApproval[],
  question: { readonly trust: TrustStore; readonly revocations: Revocations | null },
  { environment, on }: ApprovalQuestionOfDay,
): Verdict {
  const now = new Date(on);
  try {
    requireCurrentTrust(question.trust, now);
  } catch (thrown) {
    if (thrown instanceof SluiceError) return { approvers: [], problems: [thrown.message] };
    throw thrown;
  }
  const files = approvals.map(({ entry, bytes }) => ({ file: `entry ${entry.seq}`, bytes }));
  const verdict = judgeSigned({ manifestBytes: envelope, approvals: files }, { ...question, environment, now });
  return {
    approvers: (verdict.approvals?.counted ?? []).map(({ principal }) => principal),
    problems: verdict.problems.map(({ message }) => message),
  };
}

/** Every digest through which a bundle can be revoked. */
function revocableDigests(manifest: StoredManifest, own: readonly StoredApproval[]): ReadonlySet<string> {
  const keyIds = [manifest.envelopeBytes, ...own.map(({ bytes }) => bytes)].flatMap((bytes) => signingKeyIds(bytes));
  const payloads = own.map(({ entry, bytes }) => sha256Hex(openStatement(bytes, `entry ${entry.seq}`).payload));
  return new Set([manifest.bundleId, ...artifactDigests(manifest.predicate).keys(), ...payloads, ...keyIds]);
}

function signingKeyIds(envelopeBytes: Buffer): readonly string[] {
  return readEnvelope(envelopeBytes, "envelope").envelope.signatures.map(({ keyid }) => keyid);
}

/** What was approved on one day. */
export interface ApprovedOnDay {
  /** Newest manifest first. */
  readonly bundles: readonly BundleOnDay[];
  readonly warnings: readonly string[];
}

/**
 * What was approved for an environment at a given time, by whom, on which evidence, and what was revoked. Covers every
 * bundle with a decision by then, judged as a server would have: by the trust policy and the revocations of that time.
 */
export function approvedOn(history: History, question: ApprovalQuestionOfDay): ApprovedOnDay {
  const trust = parseTrustPolicy(question.trustPolicyBytes);
  const { environment, on } = question;
  const approvals = keptApprovals(history, on).filter(({ predicate }) => predicate.environment === environment);
  const { list, revoked, warnings } = revocationsOn(history, trust, on, question.revocationBytes);
  const bundles = listEntries(history, { kind: "manifest", until: on })
    .toReversed()
    .flatMap((entry): readonly BundleOnDay[] => {
      const manifest = manifestOf(history, entry.sha256);
      const { bundleId, envelopeBytes, predicate } = manifest;
      const own = approvals.filter((approval) => approval.bundleId === bundleId);
      if (own.length === 0) return [];
      const { approvers, problems } = judge(envelopeBytes, own, { trust, revocations: list }, question);
      const named = revocableDigests(manifest, own);
      const { bundle_version, producer, evidence } = predicate;
      return [
        {
          bundle_id: bundleId,
          bundle_version,
          producer,
          entry: entry.seq,
          approved: problems.length === 0,
          approvers,
          decisions: own.map(keptDecision),
          revocations: revoked.filter(({ sha256 }) => named.has(sha256)),
          evidence,
          problems,
        },
      ];
    });
  return { bundles, warnings };
}
