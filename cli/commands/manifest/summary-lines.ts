import type { SummaryWithDigest } from "../../stages/release-summary.js";
import type { KeptDecision } from "../../stages/kept-decisions.js";
import { decisionText, decisionWords } from "../approval/decision-text.js";
import { fields } from "../../table.js";

/**
 * What an approver reads before signing, in words; the last line is the digest that the approval carries. What others
 * decided is shown and is no part of that digest, so that everybody signs the same summary.
 */
export function summaryLines(
  { summary, sha256 }: SummaryWithDigest,
  decisions: readonly KeptDecision[],
): readonly string[] {
  return [
    ...fields([
      ["bundle", summary.bundle_id],
      ["version", summary.bundle_version],
      ["producer", summary.producer],
      ["catalog", summary.catalog_version],
      ["calibration", summary.calibration_version],
      ["release", `${summary.release}, after ${summary.supersedes ?? "none"}`],
      ["exact events", summary.exact_events],
    ]),
    "",
    "Promised",
    ...indented(summary.claims),
    "",
    "Measured on unseen workflows",
    ...indented(summary.metrics),
    "",
    "Data set",
    ...indented(summary.audit),
    "",
    "Gates that are not met",
    ...indented(summary.failed_gates.length === 0 ? ["none"] : summary.failed_gates),
    "",
    "Decided so far",
    ...indented(decisions.length === 0 ? ["nothing"] : decisions.map(decidedLine)),
    "",
    "Changes",
    ...indented(summary.changes),
    "",
    "Digests (SHA-256)",
    ...indented(fields(summary.digests.map((digest) => [digest.name, digest.sha256]))),
    "",
    `summary  ${sha256}`,
  ];
}

const decidedLine = (decision: KeptDecision): string =>
  `${decisionWords[decision.decision]} for ${decision.environment} ${decisionText(decision)}`;

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`.trimEnd());
