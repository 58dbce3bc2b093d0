import type { PageStatus } from "../../../reports/release/page-status.js";
import type { ReleasePage, RoutedWorkflow } from "../../../reports/release/release-page.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { type Sha256, sha256Hex } from "../../../src/base/sha256.js";
import type { BundleId } from "../../../src/documents/primitives.js";

const digest = (letter: string): Sha256 => letter.repeat(64) as Sha256;

const flip = (number: number): NonNullable<NonNullable<ReleasePage["changes"]>["flips"]>["listed"][number] => ({
  id: `request-${String(number).padStart(4, "0")}`,
  effect: number < 12 ? "worse" : "better",
  before: number < 12 ? "routed right: cancel_order" : "declined: BELOW_RISK_THRESHOLD",
  now: number < 12 ? "ROUTED WRONG: change_delivery_address" : "routed right: change_delivery_address",
});

const metric = (label: string, verdict: "better" | "worse" | "no difference shown") =>
  ({
    label,
    direction: "lower is better",
    before: "31/642 = 4.83% [3.10%, 7.12%]",
    now: "40/655 = 6.11% [4.18%, 8.61%]",
    difference: "+1.28 pp [-0.60 pp, +3.16 pp]",
    verdict,
  }) as const;

const routed = (workflowId: string, changed: Partial<RoutedWorkflow>): RoutedWorkflow => ({
  workflow_id: workflowId,
  risk_tier: "medium",
  side_effect: "read_only",
  confirmation: "never",
  tested: 24,
  routed: 20,
  wrong: 0,
  ...changed,
});

/** The page of a second release, with something in every part. */
export function aReleasePage(changed: Partial<ReleasePage> = {}): ReleasePage {
  return {
    schema_version: 1,
    bundle_version: "bundle-3f9c01ab77e1",
    producer: "ann",
    release: 4,
    rollback_floor: 3,
    catalog_version: "support-requests-7",
    calibration_version: "support-requests-982e41436ee8",
    exact_events: "off",
    verdict: "NOT SHOWN",
    reservation: "weaker promise than in production",
    headline: [
      { label: "Promise", value: "at most 10% wrong" },
      { label: "Routed", value: "42.8%" },
      { label: "Wrong when tested", value: "31 of 642" },
      { label: "Planned", value: "at most 10%" },
    ],
    verdict_sentence: "No claim is missed on held-out requests, but not every one is shown to be met.",
    shortlist:
      "Of the requests in scope, at most 5% get a shortlist without the right workflow (95% confidence). Measured on 820 " +
      "requests for 52 workflows it had never seen: 19 missed of 820. A shortlist has 1.74 workflows on average, at most 5, and " +
      "is empty for 61.0% of 220 out-of-scope requests.",
    promise: "When Sluice routes a request, at most 10% of routes go to the wrong workflow (95% confidence).",
    basis:
      "Measured on 52 workflows and out-of-scope groups it had never seen: 31 wrong of 642 routed (4.8%). Requests for the same workflow " +
      "resemble each other, so these count as 214 independent requests.",
    always_declined: "Requests for close_account and change_owner (tier critical) are always declined.",
    claims: [
      {
        scope: "overall",
        verdict: "NOT SHOWN",
        reason:
          "40 wrong of 655 routed shows only that at most 11.30% are wrong. About 860 routed requests would show that at most 10% are wrong.",
        sentence: "When Sluice routes a request, at most 10% of routes go to the wrong workflow (95% confidence).",
      },
      {
        scope: "tier critical",
        verdict: "abstains",
        reason: "Not certified: a target of 1% at 95% confidence needs 298 workflows.",
        sentence: "No text is routed in tier critical: a target of 1% at 95% confidence needs 298 workflows.",
      },
    ],
    failed_gates: [],
    measured_on: "unseen workflows",
    measured: ["Selective risk", "Coverage", "In-scope coverage", "Out-of-scope routed"].map((label) => ({
      label,
      direction: "lower is better",
      text: "40/655 = 6.11% [4.18%, 8.61%]",
      basis: "52 workflows and groups; 95% interval for clustered requests; counts as 214.5 independent requests",
      meaning: "Wrong routes, as a share of all routes.",
    })),
    changes: {
      bundle_id: digest("b") as BundleId,
      bundle_version: "bundle-77e1d2c4aa01",
      release: 3,
      compared_on: "Compared on 1,204 requests of fold EVAL, which belong to 52 workflows and out-of-scope groups.",
      metrics: [
        metric("Coverage", "better"),
        metric("In scope, routed right", "better"),
        metric("Out-of-scope routed", "no difference shown"),
        metric("Wrong routes among all requests", "no difference shown"),
        metric("Selective risk", "worse"),
      ],
      flips: {
        requests: 1204,
        flips: 31,
        better: 19,
        worse: 12,
        listed: Array.from({ length: 31 }, (_, number) => flip(number)),
      },
      workflows: {
        added: ["gift_card_balance"],
        removed: ["fax_order"],
        renamed: [{ from: "login", to: "account_login" }],
        changed: [{ workflow_id: "refund", fields: ["risk_tier: medium, now high", "examples: 2 added, 1 removed"] }],
        unchanged: 47,
      },
      promises: ["overall: at most 5% wrong before, at most 10% wrong now"],
      weaker_promises: ["overall: at most 5% wrong before, at most 10% wrong now"],
      thresholds: ["tiers low, medium: routes at 0.458 or more before, routes at 0.452 or more now"],
      policy: ["candidates per request: 8 before, 10 now"],
      events: [],
      parts: ["catalog", "calibration", "policy"],
    },
    change_note: "",
    questions: [
      {
        question: "Do individual requests get a worse decision?",
        answer: "12 of 1,204 get a worse decision, 19 a better one.",
        concern: true,
      },
      {
        question: "What happens to requests for removed workflows?",
        answer: "Requests for fax_order should be declined.",
        concern: true,
      },
      {
        question: "What does a wrong route cost?",
        answer:
          "Texts can be routed to 49 workflows: 1 destructive, 1 external_write, 47 read_only; 1 in tier low, 47 in tier medium, 1 in tier high. " +
          "Routes to 47 of them need no confirmation: gift_card_balance, account_login, cancel_order and 44 more.",
        concern: true,
      },
      { question: "Can production return to an older release?", answer: "Yes, to release 3 or later.", concern: false },
    ],
    wrong_routes: {
      routes: 2,
      listed: [
        { id: "line-7", right: "change_delivery_address", routed: "refund" },
        { id: "line-90", right: "(out of scope)", routed: "cancel_order" },
      ],
    },
    routed_workflows: {
      workflows: 49,
      listed: [
        routed("refund", { risk_tier: "high", side_effect: "destructive", confirmation: "always", wrong: 3 }),
        routed("change_delivery_address", { side_effect: "external_write", confirmation: "always", wrong: 1 }),
        routed("gift_card_balance", { risk_tier: "low", routed: 5 }),
      ],
    },
    edited: {
      requests: 2,
      known: 0,
      listed: [
        { id: "line-15", label: "track_order", by: "ann", what: "withdrawn: it asks for a refund" },
        { id: "retained-df93a0b1c2d3e4f5", label: "(out of scope)", by: "", what: "held out, then reworded" },
      ],
    },
    digests: [
      { name: "catalog", sha256: digest("c") },
      { name: "verifier (dirHash1)", sha256: digest("d") },
    ],
    ...changed,
  };
}

/** One of two approvals is given; somebody else's does not count. */
export function aPageStatus(page: ReleasePage, changed: Partial<PageStatus> = {}): PageStatus {
  return {
    as_of: "2026-03-01T12:00:00Z",
    bundle_id: digest("a") as BundleId,
    page_sha256: sha256Hex(canonicalBytes(page)),
    producer: "ann",
    produced_at: "2026-02-28T09:00:00Z",
    environment: "production",
    approvals: {
      trust_version: 2,
      required: 2,
      missing: 1,
      approved: false,
      signed: [{ person: "bo", until: "2026-03-31T12:00:00Z", days_left: 30 }],
      can_sign: ["cy", "dee"],
      problems: [],
    },
    decisions: [
      {
        person: "bo",
        environment: "production",
        decision: "approve",
        at: "2026-03-01T11:00:00Z",
        reason: "reviewed, ticket 4712",
        gate_override: null,
        not_counted: null,
      },
    ],
    ...changed,
  };
}
