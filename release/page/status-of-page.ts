import { reproductionText, type PageStatus } from "../../reports/release/page-status.js";
import { printable, utcSeconds } from "../../src/base/text.js";
import { type ApprovalCount, approvalCountText } from "../../src/trust/verify/count-approvals.js";
import type { StoredManifest } from "../read-signed.js";
import type { JudgedApproval, ReleaseStatusResult } from "../release-status.js";
import type { StoredPage } from "./stored-page.js";

/** What is known about a stored page at the moment it is shown. */
export interface PageMoment {
  readonly manifest: StoredManifest;
  readonly stored: StoredPage;
  readonly environment: string;
  readonly status: {
    readonly decisions: readonly JudgedApproval[];
    /** null if the manifest does not verify or there is no trust policy. */
    readonly count: ApprovalCount | null;
    /** null without a trust policy, which determines whose approvals count. */
    readonly result: ReleaseStatusResult | null;
  };
  readonly nowMs: number;
}

const dayMs = 86_400_000;

/** Who has approved, who can approve and whose approval is missing at this moment. */
export function statusOfPage(moment: PageMoment): PageStatus {
  const { manifest, stored, environment, nowMs } = moment;
  const { decisions, count, result } = moment.status;
  const counted = count === null ? null : approvalCountText(count);
  return {
    as_of: utcSeconds(nowMs),
    bundle_id: manifest.bundleId,
    page_sha256: stored.sha256,
    producer: printable(manifest.predicate.producer),
    produced_at: manifest.predicate.created_at,
    environment: printable(environment),
    approvals: result === null ? null : approvalsOf(result, counted, nowMs),
    decisions: decisions.map((decision) => ({
      person: printable(decision.approver),
      environment: printable(decision.environment),
      decision: decision.decision,
      at: decision.at,
      reason: printable(decision.reason),
      gate_override: decision.gate_override === null ? null : printable(decision.gate_override),
      not_counted:
        decision.not_counted === null
          ? null
          : printable(
              decision.counts === null
                ? decision.not_counted.message
                : `${decision.not_counted.code}: ${decision.not_counted.message}`,
            ),
      ...(decision.reproduction === undefined ? {} : { derived: printable(reproductionText(decision.reproduction)) }),
    })),
  };
}

/** @param counted a problem that the counts already express */
function approvalsOf(result: ReleaseStatusResult, counted: string | null, nowMs: number): PageStatus["approvals"] {
  return {
    trust_version: result.trust_version,
    required: result.required,
    missing: result.missing,
    approved: result.approved,
    signed: result.signed.map(({ person, until, derived_from: from }) => ({
      person: printable(person),
      until,
      days_left: Math.max(0, Math.floor((Date.parse(until) - nowMs) / dayMs)),
      ...(from === null ? {} : { derived_from: from }),
    })),
    ...(result.reproductions.missing === 0 ? {} : { missing_reproductions: result.reproductions.missing }),
    can_sign: result.can_sign.map(printable),
    ...(result.unchecked.length === 0 ? {} : { unchecked: result.unchecked.map(printable) }),
    problems: result.problems.filter((problem) => problem !== counted).map(printable),
  };
}
