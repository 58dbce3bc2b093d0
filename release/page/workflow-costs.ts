import type {
  ReleaseQuestion,
  RoutedWorkflow,
  RoutedWorkflows,
  WrongRoutes,
} from "../../reports/release/release-page.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import { decideRequests } from "../../eval/requests/decided-request.js";
import { groupBy } from "../../src/base/group-by.js";
import { printable, workflowText } from "../../src/base/text.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { type Catalog, sideEffects, type Workflow } from "../../src/documents/catalog.js";
import { riskTiers } from "../../src/documents/choices.js";
import type { Evaluation, SliceEvaluation } from "../../src/documents/evaluation.js";
import { counted, formatCount } from "../../src/documents/number-text.js";
import type { RoutingPolicy } from "../../src/documents/policy.js";
import type { Rate } from "../../src/documents/rate.js";
import type { History } from "../../store/history/open.js";
import { readRun, readScoredRecords } from "../../store/records/read-records.js";

/** The documents that decide which workflows are routed, and how they were measured. */
export interface WorkflowSources {
  readonly catalog: Pick<Catalog, "workflows">;
  readonly calibration: Pick<Calibration, "tiers" | "certified_workflows">;
  readonly policy: Pick<RoutingPolicy, "allowed_tiers">;
  readonly evaluation: { readonly detail: { readonly slices: readonly MeasuredGroup[] } };
}

/** Requests of a group, how many were routed, and how many of these to a wrong workflow. */
interface MeasuredGroup extends Pick<SliceEvaluation, "dimension" | "value" | "requests"> {
  readonly coverage: Pick<Rate, "k">;
  readonly joint_risk: Pick<Rate, "k">;
}

/** The workflows that texts can be routed to, worst first: by the share of their tested requests routed wrong, then declined. */
export function routedWorkflows({ catalog, calibration, policy, evaluation }: WorkflowSources): RoutedWorkflow[] {
  const { tiers, certified_workflows: certified } = calibration;
  const tested = certified === null ? null : new Set<string>(certified);
  const isRouted = ({ workflow_id: id, status, risk_tier: tier }: Workflow): boolean =>
    status === "active" &&
    tiers[tier].confidence !== null &&
    policy.allowed_tiers.includes(tier) &&
    (tested === null || tested.has(id));
  const slices = evaluation.detail.slices.filter(({ dimension }) => dimension === "workflow");
  const measured = new Map(slices.map((slice) => [slice.value, slice]));
  return catalog.workflows
    .filter(isRouted)
    .map(({ workflow_id: id, risk_tier, side_effect, confirmation }) => ({
      workflow_id: id,
      risk_tier,
      side_effect,
      confirmation: printable(confirmation),
      tested: measured.get(id)?.requests ?? 0,
      routed: measured.get(id)?.coverage.k ?? 0,
      wrong: measured.get(id)?.joint_risk.k ?? 0,
    }))
    .sort(
      (a, b) =>
        shareOf(b.wrong, b) - shareOf(a.wrong, a) ||
        shareOf(b.tested - b.routed, b) - shareOf(a.tested - a.routed, a) ||
        b.tested - a.tested ||
        (a.workflow_id < b.workflow_id ? -1 : 1),
    );
}

/**
 * The active workflows of tiers without a threshold, in one sentence; "" if there are none, or if no tier has a threshold.
 * @param byEvent  whether an event can name a workflow
 */
export function declinedText(
  { catalog, calibration: { tiers } }: Pick<WorkflowSources, "catalog" | "calibration">,
  byEvent: boolean,
): string {
  if (riskTiers.every((tier) => tiers[tier].confidence === null)) return "";
  const declined = riskTiers.flatMap((tier) => {
    if (tiers[tier].confidence !== null) return [];
    const ids = catalog.workflows.flatMap(({ workflow_id: id, status, risk_tier: own }) =>
      own === tier && status === "active" ? [id] : [],
    );
    return ids.length === 0 ? [] : [`${few(ids)} (tier ${tier})`];
  });
  if (declined.length === 0) return "";
  return `Requests for ${declined.join(" and ")} are always declined${byEvent ? ", unless an event names the workflow" : ""}.`;
}

const shareOf = (count: number, { tested }: RoutedWorkflow): number => (tested === 0 ? 0 : count / tested);

/** Maximum number of workflows that the page lists; the others are counted. */
const mostListed = 100;

export const listedWorkflows = (all: readonly RoutedWorkflow[]): RoutedWorkflows => ({
  workflows: all.length,
  listed: all.slice(0, mostListed),
});

/** A request that was routed to a workflow different from its own; `right` is null if no workflow fits. */
export interface WrongRoute {
  readonly id: string;
  readonly right: string | null;
  readonly routed: string;
}

/** The wrong routes among the requests behind the rates of a page, in the order of the data. */
export function wrongRoutesOf(
  history: History,
  { calibration, fold, thresholds }: RoutesSource,
): readonly WrongRoute[] {
  const run = readRun(history, calibration.digests.run);
  const { top_k: topK } = run.document;
  return decideRequests(readScoredRecords(history, run), { fold, thresholds, topK }).flatMap(({ record, outcome }) => {
    const routed = outcome?.decision?.decision === "ROUTE" ? outcome.decision.workflow_id : null;
    if (routed === null || routed === record.workflow_id) return [];
    return [{ id: record.id, right: record.workflow_id, routed }];
  });
}

interface RoutesSource {
  readonly calibration: Pick<Calibration, "digests">;
  /** The fold of the evaluation that the page shows. */
  readonly fold: Evaluation["fold"];
  readonly thresholds: EvaluatedThresholds;
}

/** Maximum number of wrong routes that the page lists; the others are counted. */
const mostRoutes = 20;

export const listedWrongRoutes = (all: readonly WrongRoute[]): WrongRoutes => ({
  routes: all.length,
  listed: all
    .slice(0, mostRoutes)
    .map(({ id, right, routed }) => ({ id: printable(id), right: workflowText(right), routed })),
});

/**
 * What a wrong route costs, and which workflows go wrong. Both are always shown to approvers.
 * @param claimCounts  why the claim counts other wrong routes than the workflows do; "" if it does not
 */
export function workflowQuestions(
  all: readonly RoutedWorkflow[],
  wrongRoutes: readonly WrongRoute[],
  claimCounts = "",
): readonly ReleaseQuestion[] {
  if (all.length === 0) return [];
  const measured = all.filter(({ tested }) => tested > 0);
  return [
    { question: "What does a wrong route cost?", answer: costText(all), concern: true },
    ...(measured.length === 0
      ? []
      : [
          {
            question: "Which workflows are often wrong or declined?",
            answer: `${worstText(measured, wrongRoutes)} ${claimCounts}`.trim(),
            concern: true,
          },
        ]),
  ];
}

function costText(all: readonly RoutedWorkflow[]): string {
  const effects = sideEffects.toReversed().flatMap((effect) => {
    const count = all.filter(({ side_effect: own }) => own === effect).length;
    return count === 0 ? [] : [`${formatCount(count)} ${effect}`];
  });
  const tiers = riskTiers.flatMap((tier) => {
    const count = all.filter(({ risk_tier: own }) => own === tier).length;
    return count === 0 ? [] : [`${formatCount(count)} in tier ${tier}`];
  });
  const can = `Texts can be routed to ${counted(all.length, "workflow")}`;
  return `${can}: ${effects.join(", ")}; ${tiers.join(", ")}. ${confirmationText(all)}`;
}

function confirmationText(all: readonly RoutedWorkflow[]): string {
  const without = all.filter(({ confirmation }) => confirmation === "never").map(({ workflow_id: id }) => id);
  if (without.length === 0) return "By the catalog, all routes need a confirmation.";
  if (without.length === all.length) return "By the catalog, no route needs a confirmation.";
  return `By the catalog, routes to ${formatCount(without.length)} of them need no confirmation: ${few(without)}.`;
}

/** Maximum number of workflows that an answer names. */
const mostNamed = 3;

function few(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}

/** Which requests went where, most frequent first, e.g. "2 cancel requests went to refund". */
function wentText(wrongRoutes: readonly WrongRoute[]): string {
  const pairs = [...groupBy(wrongRoutes, ({ right, routed }) => `${right} ${routed}`).values()];
  return few(
    pairs
      .toSorted((a, b) => b.length - a.length)
      .flatMap(([first, ...more]) =>
        first === undefined ? [] : [`${counted(more.length + 1, `${first.right} request`)} went to ${first.routed}`],
      ),
  );
}

function worstText(measured: readonly RoutedWorkflow[], wrongRoutes: readonly WrongRoute[]): string {
  const share = (count: number, of: number, { workflow_id: id }: RoutedWorkflow): string =>
    `${id} ${formatCount(count)} of ${formatCount(of)}`;
  const wrong = measured.filter((one) => one.wrong > 0);
  const declined = measured
    .filter(({ tested, routed }) => routed * 2 < tested)
    .toSorted((a, b) => shareOf(a.routed, a) - shareOf(b.routed, b) || b.tested - a.tested);
  const of = counted(measured.length, "tested workflow");
  const requests = measured.reduce((sum, { tested }) => sum + tested, 0);
  return [
    wrong.length === 0
      ? `None of the ${counted(requests, "request")} measured here for these workflows is routed wrong.`
      : `Some requests for ${formatCount(wrong.length)} of ${of} are routed wrong: ${wentText(wrongRoutes.filter(({ right }) => right !== null))}.`,
    declined.length === 0
      ? "At least half of the requests for each are routed."
      : `Fewer than half of the requests are routed for ${counted(declined.length, "workflow")}: ${few(declined.map((one) => share(one.routed, one.tested, one)))}.`,
  ].join(" ");
}
