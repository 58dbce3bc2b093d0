import type { ConsultedList, MarkedDecision, StandingResult } from "../../../workbench/release/release-standing.js";
import type { ReleaseSummary, SummaryWithDigest } from "../../../workbench/release/release-summary.js";
import { fields, table } from "../../table.js";
import { decisionText, decisionWords } from "../approval/decision-text.js";

/** The revocation list that judged, in words. */
export function consultedText(list: ConsultedList | null): string {
  return list === null ? "none was consulted" : `list ${list.sequence} of ${list.issued_at}`;
}

/** What a reader sees beside the summary: it is no part of what is signed. */
export interface ShownStanding {
  readonly decisions: readonly MarkedDecision[];
  /** null without a trust policy, which says who counts. */
  readonly result: StandingResult | null;
}

/**
 * What an approver reads before signing, in words; the last line is the digest that the approval carries. What others
 * decided is shown and is no part of that digest, so that everybody signs the same summary.
 */
export function summaryLines(
  { summary, sha256 }: SummaryWithDigest,
  { decisions, result }: ShownStanding,
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
    `Measured on ${summary.measured_on}`,
    ...indented(summary.metrics),
    "",
    "Data set",
    ...indented(summary.audit),
    "",
    "Gates",
    ...indented(gateLines(summary)),
    "",
    "Decided so far",
    ...indented(decisions.length === 0 ? ["nothing"] : decisions.map(decidedLine)),
    "",
    "Approvals",
    ...indented(standingLines(result)),
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

/** The verdict of the report, on everything and on each claim, and what an approval needs besides. */
function gateLines({ verdict, verdict_sentence, gates, failed_gates }: ReleaseSummary): readonly string[] {
  return [
    `${verdict}: ${verdict_sentence}`,
    ...table(gates.map((gate) => [gate.scope, gate.verdict, gate.reason])),
    ...failed_gates.map((gate) => `needs --override-gates: ${gate}`),
  ];
}

/** Who signed, who still can, how many are missing, and which revocation list was consulted. */
export function standingLines(result: StandingResult | null): readonly string[] {
  if (result === null) return ["not known: there is no trust policy here; name it with --trust FILE"];
  const { environment, trust_version, required, signed, missing, can_sign, problems, revocation_list } = result;
  return fields([
    ["for", `${environment}, trust policy ${trust_version}`],
    ["required", required === null ? "nobody may approve for this environment" : `${required} people`],
    ["signed", signed.map(({ person, until }) => `${person} (until ${until})`).join(", ") || "nobody"],
    ["missing", String(missing)],
    ["can still sign", can_sign.join(", ") || "nobody"],
    ["revocations", consultedText(revocation_list)],
    ...problems.map((problem): readonly [string, string] => ["not approved", problem]),
  ]);
}

function decidedLine(decision: MarkedDecision): string {
  const words = `${decisionWords[decision.decision]} for ${decision.environment} ${decisionText(decision)}`;
  const { not_counted: why } = decision;
  return why === null ? words : `${words}; DOES NOT COUNT: ${why.code}: ${why.message}`;
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`.trimEnd());
