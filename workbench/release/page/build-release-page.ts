import { judgeRelease } from "../../../reports/judge-release.js";
import { type ReleasePage, releasePageEvidence } from "../../../reports/release/release-page.js";
import { measuredRates } from "../../../reports/result-views.js";
import type { BundleId } from "../../../src/domain/primitives.js";
import type { Calibration } from "../../../src/domain/calibration.js";
import type { ManifestPredicateWire } from "../../../src/domain/signed.js";
import { auditSummary } from "../../data/keep-audit.js";
import type { History } from "../../history/open.js";
import { readAudit, readCalibration, readEvaluationOf } from "../../records/read-records.js";
import { shortId } from "../../records/short-id.js";
import { contentDigests } from "../content-digests.js";
import { describeExactEvents } from "../describe-exact-events.js";
import { failedGates, manifestIfKept } from "../release-changes.js";
import { measuredOn } from "../release-summary.js";
import { releaseDifferences } from "./release-differences.js";
import { releaseQuestions } from "./release-questions.js";

/**
 * The signed part of the release page of a manifest, from its predicate and the records that it names. Equal
 * histories give equal pages, whether or not the predicate lists the page as evidence.
 */
export function buildReleasePage(history: History, predicate: ManifestPredicateWire): ReleasePage {
  const calibration = readCalibration(history, predicate.calibration.sha256).document;
  const evaluation = readEvaluationOf(history, predicate.calibration.sha256).document;
  const judged = judgeRelease(evaluation, calibration);
  const verdict = {
    verdict: judged.verdict,
    verdict_sentence: judged.sentence,
    failed_gates: [...failedGates(evaluation, calibration)],
  };
  const before = predicate.supersedes === null ? null : manifestIfKept(history, predicate.supersedes);
  const changes = before === null ? null : releaseDifferences(history, before, predicate);
  return {
    schema_version: 1,
    bundle_version: predicate.bundle_version,
    producer: predicate.producer,
    release: predicate.release,
    rollback_floor: predicate.rollback_floor,
    catalog_version: predicate.catalog.version,
    calibration_version: predicate.calibration.version,
    exact_events: describeExactEvents(predicate.exact_events),
    ...verdict,
    claim: mainClaim(calibration),
    claims: judged.claims.map(({ scope, verdict: each, reason }, index) => ({
      scope: scope === "overall" ? "overall" : `tier ${scope}`,
      verdict: each,
      reason,
      sentence: calibration.claims[index]?.sentence ?? "",
    })),
    measured_on: measuredOn(calibration),
    measured: [...measuredRates(evaluation)],
    changes,
    change_note: changeNote(predicate.supersedes, before !== null),
    questions: releaseQuestions({
      evaluation,
      calibration,
      predicate,
      changes,
      audit: auditOf(history, predicate),
    }),
    digests: digestsOf(predicate),
  };
}

/** The sentence of the claim on everything, else of the first that is certified, else of the first. */
function mainClaim({ claims }: Calibration): string {
  const main =
    claims.find(({ scope }) => scope === "overall") ?? claims.find(({ certified }) => certified) ?? claims[0];
  return main?.sentence ?? "Nothing is promised.";
}

function changeNote(supersedes: BundleId | null, known: boolean): string {
  if (supersedes === null) return "This is the first release: there is no release in production to compare with.";
  if (known) return "";
  return `Bundle ${shortId(supersedes)}, which is in production, is not in this history, so nothing can be compared.`;
}

function auditOf(history: History, { evidence }: ManifestPredicateWire) {
  const audit = evidence.find(({ name }) => name === "audit.json");
  if (audit === undefined) return { lines: [], passed: false };
  const { document } = readAudit(history, audit.sha256);
  return { lines: auditSummary(document), passed: document.findings.every(({ passed }) => passed) };
}

/** The page is evidence too, and cannot name its own digest. */
function digestsOf({ evidence, ...predicate }: ManifestPredicateWire): ReleasePage["digests"] {
  return contentDigests({ ...predicate, evidence: evidence.filter(({ name }) => name !== releasePageEvidence) });
}
