import { describeCalibration } from "../../calibrate/describe-calibration.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { BundleId } from "../../src/domain/primitives.js";
import { describeEvaluation } from "../../eval/describe-evaluation.js";
import { judgeRelease, type ClaimVerdict } from "../../reports/judge-release.js";
import type { Verdict } from "../../reports/report-model.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import type { History } from "../history/open.js";
import { auditSummary } from "../data/keep-audit.js";
import { contentDigests } from "./content-digests.js";
import { describeExactEvents } from "./describe-exact-events.js";
import { failedGates, releaseChanges } from "./release-changes.js";
import { readAudit, readCalibration, readEvaluationOf } from "../records/read-records.js";
import type { KeptManifest } from "./read-manifest.js";
import { SluiceError } from "../../src/errors/error.js";
import { shortId } from "../records/short-id.js";

/** What an approver reads before signing; the approval states the digest of this document. */
export interface ReleaseSummary {
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly catalog_version: string;
  readonly calibration_version: string;
  readonly release: number;
  readonly supersedes: BundleId | null;
  /** Whether a caller may choose a workflow by an event instead of by a text, and in which tiers. */
  readonly exact_events: string;
  /** The verdict of the evaluation report, on everything and on each claim. */
  readonly verdict: Verdict;
  readonly verdict_sentence: string;
  readonly gates: readonly ClaimVerdict[];
  /** Claims that were measured above their target; an approval then needs a recorded override. */
  readonly failed_gates: readonly string[];
  /** Differences to the superseded bundle in words: metrics, decision flips, parts. */
  readonly changes: readonly string[];
  /** Claims in words. */
  readonly claims: readonly string[];
  /** What the metrics were measured on. */
  readonly measured_on: string;
  /** Metrics of the EVAL fold with their intervals. */
  readonly metrics: readonly string[];
  /** Verdict of the dataset audit, and who accepted its failed checks. */
  readonly audit: readonly string[];
  readonly digests: readonly { readonly name: string; readonly sha256: string }[];
}

export interface SummaryWithDigest {
  readonly summary: ReleaseSummary;
  /** SHA-256 of the canonical form of the summary. */
  readonly sha256: Sha256;
}

/** The release summary of a manifest; equal histories give equal bytes. */
export function releaseSummary(history: History, manifest: KeptManifest): SummaryWithDigest {
  const { predicate } = manifest;
  const calibration = readCalibration(history, predicate.calibration.sha256);
  const evaluation = readEvaluationOf(history, calibration.sha256);
  const { verdict, sentence, claims } = judgeRelease(evaluation.document, calibration.document);
  const summary: ReleaseSummary = {
    bundle_id: manifest.bundleId,
    bundle_version: predicate.bundle_version,
    producer: predicate.producer,
    catalog_version: predicate.catalog.version,
    calibration_version: predicate.calibration.version,
    release: predicate.release,
    supersedes: predicate.supersedes,
    exact_events: describeExactEvents(predicate.exact_events),
    verdict,
    verdict_sentence: sentence,
    gates: claims,
    failed_gates: failedGates(evaluation.document, calibration.document),
    changes: releaseChanges(history, manifest, evaluation.document),
    claims: describeCalibration(calibration.document),
    measured_on: measuredOn(calibration.document),
    metrics: describeEvaluation(evaluation.document),
    audit: auditOf(history, predicate),
    digests: contentDigests(predicate),
  };
  return { summary, sha256: sha256Hex(canonicalBytes(summary)) };
}

/** What the metrics are measured on. The folds of a claim about one catalog may share workflows; those of a claim about new workflows do not. */
export function measuredOn({ claims }: Calibration): string {
  const ofCatalog = claims.some(({ population }) => population === "this_catalog");
  return ofCatalog ? "held-out requests of this catalog" : "unseen workflows";
}

function auditOf(history: History, { evidence }: KeptManifest["predicate"]): readonly string[] {
  const audit = evidence.find(({ name }) => name === "audit.json");
  return audit === undefined ? ["no audit on record"] : auditSummary(readAudit(history, audit.sha256).document);
}

/** Refuses a summary digest that differs from the one to be signed. @throws {SluiceError} IDENTITY_MISMATCH */
export function requireSummary(release: SummaryWithDigest, expected: string | undefined): void {
  if (expected === undefined || expected === release.sha256) return;
  throw new SluiceError("IDENTITY_MISMATCH", `the release summary is ${release.sha256}, expected ${expected}`, {
    hint: `Read it again: sluice manifest show --bundle ${shortId(release.summary.bundle_id)}`,
  });
}
