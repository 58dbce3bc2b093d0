import type { SummaryWithDigest } from "../../stages/release-summary.js";
import { fields } from "../../table.js";

/** What an approver reads before signing, in words; the last line is the digest that the approval carries. */
export function summaryLines({ summary, sha256 }: SummaryWithDigest): readonly string[] {
  return [
    ...fields([
      ["bundle", summary.bundle_id],
      ["version", summary.bundle_version],
      ["producer", summary.producer],
      ["catalog", summary.catalog_version],
      ["calibration", summary.calibration_version],
      ["release", `${summary.release}, after ${summary.supersedes ?? "none"}`],
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
    "Changes",
    ...indented(summary.changes),
    "",
    "Digests (SHA-256)",
    ...indented(fields(summary.digests.map((digest) => [digest.name, digest.sha256]))),
    "",
    `summary  ${sha256}`,
  ];
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`.trimEnd());
