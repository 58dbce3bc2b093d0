import type { ErrorCode } from "../../base/error-codes.js";
import type { RevocationKind } from "../../documents/signed.js";
import { bundleFiles } from "../bundle-layout.js";
import { printable } from "../../base/text.js";
import { artifactDigests } from "../statements.js";
import type { TrustStore } from "../trust-policy.js";
import { type ApprovalCount, countApprovals } from "./count-approvals.js";
import type { ApprovalQuestion } from "./judge-approval.js";
import { claimDigests, type OpenedManifest, openManifest } from "./open-manifest.js";
import { type BundleProblem, problem, problemOf, problemsError } from "./problem.js";
import {
  openRevocations,
  requireFresh,
  requireSuccessor,
  type Revocations,
  revocationReason,
  revokedBy,
} from "./revocations.js";

/** The signed documents of a bundle. */
export interface SignedParts {
  readonly manifestBytes: Uint8Array;
  /** By path in the bundle. */
  readonly approvals: ReadonlyMap<string, Uint8Array>;
}

/** The policy and the purpose for which a bundle is judged. */
export interface SignedQuestion {
  readonly trust: TrustStore;
  readonly environment: string;
  /** Set once; every date is compared with it. */
  readonly now: Date;
  /** Verified by `openRevocations`; null if the deployment has none. */
  readonly revocations: Revocations | null;
}

/** What a served bundle needs that can expire. */
export type Expiring = "trust policy" | "producer's key" | "approvals" | "revocation list";

export interface BundleEnd {
  /** Time from which the same verification fails, clock skew included, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** What expires then; the trust policy if its keys expire with it. */
  readonly of: Expiring;
}

/** States what has expired. */
export const expiredText: Readonly<Record<Expiring, string>> = {
  "trust policy": "the trust policy has expired",
  "producer's key": "the key that signed the bundle has expired",
  approvals: "the approvals of the bundle have expired",
  "revocation list": "the revocation list has expired",
};

/** Result of checking the signatures of a bundle. */
export interface SignedVerdict {
  readonly manifest: OpenedManifest | null;
  readonly approvals: ApprovalCount | null;
  readonly problems: readonly BundleProblem[];
  /** When the same check fails; null if it already fails. */
  readonly end: BundleEnd | null;
}

/** Why a revocation list refuses a bundle, whoever approves it: the bundle, one of its artifacts or its producer's key. */
export function revokedParts(manifest: OpenedManifest, revocations: Revocations | null): readonly BundleProblem[] {
  const file = bundleFiles.manifest;
  const isRevoked = revokedBy(revocations);
  const refused = (kind: RevocationKind, sha256: string, text: string): readonly BundleProblem[] =>
    isRevoked(kind, sha256)
      ? [problem("REVOKED", file, `${text} is revoked${revocationReason(revocations, kind, sha256)}`)]
      : [];
  const bundle = refused("bundle", manifest.bundleId, `bundle ${manifest.bundleId}`);
  const artifacts = [...artifactDigests(manifest.predicate)].flatMap(([sha256, name]) =>
    refused("artifact", sha256, `its ${printable(name)} (${sha256})`),
  );
  const keys = manifest.signerKeyIds.flatMap((keyId) => refused("key", keyId, `key ${keyId} that signed it`));
  return [...bundle, ...artifacts, ...keys];
}

/** For what the approvals of a bundle are judged. */
export function approvalQuestion(manifest: OpenedManifest, question: SignedQuestion): ApprovalQuestion {
  const { bundleId, producers, predicate } = manifest;
  return {
    ...question,
    bundleId,
    producers,
    claim: claimDigests(predicate),
    isRevoked: revokedBy(question.revocations),
  };
}

/**
 * Judges the signatures of a bundle: its producer, its approvals, and all revocations. `verifyBundle` checks the files.
 */
export function judgeSigned(parts: SignedParts, question: SignedQuestion): SignedVerdict {
  const { trust, now, revocations } = question;
  const problems: BundleProblem[] = [];
  const attempt = <T>(file: string, check: () => T): T | null => {
    try {
      return check();
    } catch (thrown) {
      problems.push(problemOf(thrown, file));
      return null;
    }
  };
  const freshUntil = attempt("revocations", () => requireFresh(revocations, trust, now));
  const file = bundleFiles.manifest;
  const manifest = attempt(file, () => openManifest(parts.manifestBytes, trust, now, file));
  if (manifest === null) return { manifest, approvals: null, problems, end: null };
  problems.push(...revokedParts(manifest, revocations));
  const approvals = countApprovals(parts.approvals, approvalQuestion(manifest, question));
  problems.push(...approvals.problems);
  if (problems.length > 0 || approvals.endsAt === null || freshUntil === null) {
    return { manifest, approvals, problems, end: null };
  }
  const skew = trust.clockSkewMs;
  const end = firstOf([
    { at: trust.expires + skew, of: "trust policy" },
    { at: manifest.keyExpires + skew, of: "producer's key" },
    { at: approvals.endsAt, of: "approvals" },
    { at: freshUntil, of: "revocation list" },
  ]);
  return { manifest, approvals, problems, end };
}

const firstOf = (ends: readonly BundleEnd[]): BundleEnd | null =>
  ends.reduce<BundleEnd | null>((first, end) => (first === null || end.at < first.at ? end : first), null);

/** A bundle judged by a newer revocation list. */
export interface UnderSuccessor {
  /** In force even if it refuses the bundle: an older list cannot replace it. */
  readonly revocations: Revocations;
  /** When the bundle expires; null if the list refuses it. */
  readonly end: BundleEnd | null;
  /** Why the list refuses the bundle; null if it does not. */
  readonly refusal: ErrorCode | null;
}

/**
 * Judges a verified bundle by a newer list, without reading its files again.
 * @throws {SluiceError} the codes of `openRevocations` and `requireSuccessor`, for a list that must not supersede the
 *   current one
 */
export function judgeUnderSuccessor(parts: SignedParts, question: SignedQuestion, bytes: Uint8Array): UnderSuccessor {
  const revocations = openRevocations(bytes, question.trust, question.now, "revocations");
  if (question.revocations !== null) requireSuccessor(question.revocations, revocations);
  const { problems, end } = judgeSigned(parts, { ...question, revocations });
  return { revocations, end, refusal: end === null ? problemsError("bundle", problems).code : null };
}
