import { formatCount } from "../../src/documents/number-text.js";
import { factList, num, reportTable, type ReportTable } from "../blocks.js";
import type { PageStatus } from "./page-status.js";
import type {
  ListedFlips,
  ReleaseDifferences,
  ReleasePage,
  RoutedWorkflows,
  EditedRequests,
  WrongRoutes,
} from "./release-page.js";

export const metricTable = ({ metrics, release }: ReleaseDifferences): ReportTable =>
  reportTable(
    "Measured on the same requests",
    ["Measure", `Release ${release}`, "This release", "Difference [95% band]", "Result"],
    metrics.map(({ label, direction, before, now, difference, verdict }) => [
      `${label} ${direction === "higher is better" ? "↑" : "↓"}`,
      before,
      now,
      difference,
      verdict,
    ]),
  );

export const gateTable = ({ claims }: ReleasePage): ReportTable =>
  reportTable(
    "Gates: each claim compared with the measured results",
    ["Claim", "Verdict", "Why"],
    claims.map(({ scope, verdict, reason }) => [scope, verdict, reason]),
  );

const flipTable = ({ listed, flips }: ListedFlips): ReportTable =>
  reportTable(
    `Requests decided differently: ${listedOf(listed.length, flips)}`,
    ["Request", "Effect", "Before", "Now"],
    listed.map(({ id, effect, before, now }) => [id, effect, before, now]),
  );

const workflowTable = ({ workflows }: ReleaseDifferences): ReportTable =>
  reportTable(
    `Changed workflows; ${formatCount(workflows.unchanged)} are unchanged`,
    ["Workflow", "Change"],
    [
      ...workflows.added.map((id) => [id, "added"]),
      ...workflows.removed.map((id) => [id, "removed"]),
      ...workflows.renamed.map(({ from, to }) => [to, `renamed, was ${from}`]),
      ...workflows.changed.map(({ workflow_id: id, fields }) => [id, fields.join("; ")]),
    ],
  );

export const questionTable = (caption: string, questions: ReleasePage["questions"]): ReportTable =>
  reportTable(
    caption,
    ["Question", "Answer"],
    questions.map(({ question, answer }) => [question, answer]),
  );

const measuredTable = ({ measured, measured_on: on }: ReleasePage): ReportTable =>
  reportTable(
    `Measured on ${on}`,
    ["Rate", "k/n = value [interval]", "Meaning", "Evidence"],
    measured.map(({ label, direction, text, meaning, basis }) => [
      `${label} ${direction === "higher is better" ? "↑" : "↓"}`,
      text,
      meaning,
      basis,
    ]),
  );

/** The number of listed items, and of all if there are more. */
const listedOf = (listed: number, all: number): string =>
  listed === all ? formatCount(all) : `the first ${formatCount(listed)} of ${formatCount(all)}`;

const routedTable = ({ workflows, listed }: RoutedWorkflows): ReportTable =>
  reportTable(
    `Workflows that texts can be routed to: ${listedOf(listed.length, workflows)}, most often wrong or declined first; same requests as the rates below`,
    ["Workflow", "Tier", "Side effect", "Confirmation", ...["Tested", "Routed", "Wrong"].map(num)],
    listed.map(({ workflow_id: id, risk_tier: tier, side_effect: effect, confirmation, tested, routed, wrong }) => [
      id,
      tier,
      effect,
      confirmation,
      ...[tested, routed, wrong].map(formatCount),
    ]),
  );

const wrongRouteTable = ({ routes, listed }: WrongRoutes): ReportTable =>
  reportTable(
    `Wrong routes of the tested requests: ${listedOf(listed.length, routes)}`,
    ["Request", "Right", "Routed to"],
    listed.map(({ id, right, routed }) => [id, right, routed]),
  );

const editedTable = ({ requests, listed }: EditedRequests): ReportTable =>
  reportTable(
    `Requests edited after their outcome was seen: ${listedOf(listed.length, requests)}`,
    ["Request", "Old label", "Recorded by (person or account)", "Edit"],
    listed.map(({ id, label, by, what }) => [id, label, by || "unknown", what]),
  );

const digestTable = ({ digests }: ReleasePage): ReportTable =>
  reportTable(
    "Digests of the parts (SHA-256)",
    ["Part", "Digest"],
    digests.map(({ name, sha256 }) => [name, sha256]),
  );

const decisionsTable = ({ decisions }: PageStatus): ReportTable =>
  reportTable(
    "Decisions on record",
    ["Person", "Decision", "For", "When", "Reason", "Counts"],
    decisions.map((one) => [
      one.person,
      [
        one.decision,
        ...(one.gate_override === null ? [] : [`overrides failed gates: ${one.gate_override}`]),
        ...(one.derived === undefined ? [] : [one.derived]),
      ].join(", "),
      one.environment,
      one.at,
      one.reason,
      one.not_counted === null ? "" : `DOES NOT COUNT: ${one.not_counted}`,
    ]),
  );

export const approvalTable = ({ approvals }: PageStatus): ReportTable =>
  reportTable(
    "Approvals that count",
    ["Person", "Until", num("Days left")],
    (approvals?.signed ?? []).map(({ person, until, days_left: days }) => [person, until, formatCount(days)]),
  );

/** Counts the changed workflows, e.g. `2 added, 1 changed`. */
export function workflowCounts({ workflows }: ReleaseDifferences): string {
  const counts = [
    [workflows.added.length, "added"],
    [workflows.removed.length, "removed"],
    [workflows.renamed.length, "renamed"],
    [workflows.changed.length, "changed"],
  ] as const;
  const changed = counts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return changed.join(", ") || "none changed";
}

/** Describes the flipped decisions in one sentence. */
export function flipSentence({ flips }: ReleaseDifferences): string {
  if (flips === null) return "not compared";
  const { requests, flips: changed, better, worse } = flips;
  const of = `${formatCount(changed)} of ${formatCount(requests)} are decided differently`;
  return changed === 0 ? of : `${of}: ${formatCount(worse)} worse, ${formatCount(better)} better`;
}

/** Facts about changes other than metrics; their lists are in the annex. */
export function changeFacts(
  changes: ReleaseDifferences,
): readonly { readonly label: string; readonly value: string }[] {
  const list = (texts: readonly string[]): string => texts.join("; ") || "no change";
  return factList([
    ["Decisions", flipSentence(changes)],
    ["Workflows", workflowCounts(changes)],
    ["Promises", list(changes.promises)],
    ["Thresholds", list(changes.thresholds)],
    ["Policy", list(changes.policy)],
    ["Events", list(changes.events)],
    ["Changed parts", changes.parts.join(", ") || "none"],
  ]);
}

export function annexTables(page: ReleasePage, status: PageStatus): readonly ReportTable[] {
  const { changes, questions } = page;
  const answered = questions.filter(({ concern }) => !concern);
  return [
    wrongRouteTable(page.wrong_routes),
    routedTable(page.routed_workflows),
    ...(page.edited === undefined ? [] : [editedTable(page.edited)]),
    ...(changes === null || changes.flips === null ? [] : [flipTable(changes.flips)]),
    ...(changes === null ? [] : [workflowTable(changes)]),
    questionTable("Questions that raised no warning", answered),
    measuredTable(page),
    decisionsTable(status),
    digestTable(page),
  ].filter(({ rows }) => rows.length > 0);
}
