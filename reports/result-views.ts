import { decisionKinds } from "../src/documents/decision.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { formatCount } from "../src/documents/number-text.js";
import { num, type RateLine, reportTable, type ReportTable } from "./blocks.js";
import { rateLine } from "./rate-line.js";
import { selectiveRiskLabel } from "./judge-release.js";
import { measureLabels } from "./measure-labels.js";
import { reasonText } from "./reason-text.js";

/** @param claimNote  why the claim counts differently; "" if it does not */
export function measuredRates(evaluation: Evaluation, claimNote: string): readonly RateLine[] {
  return [
    rateLine(
      selectiveRiskLabel(claimNote),
      "lower is better",
      evaluation.selective_risk,
      "Wrong routes, as a share of all routes.",
    ),
    rateLine(
      measureLabels.coverage,
      "higher is better",
      evaluation.coverage,
      "Routed requests, as a share of all requests.",
    ),
    rateLine(
      "In-scope coverage",
      "higher is better",
      evaluation.in_scope_coverage,
      "Routed requests, as a share of the requests in scope.",
    ),
    rateLine(
      measureLabels.out_of_scope_routed,
      "lower is better",
      evaluation.out_of_scope_routed,
      "Routed requests, as a share of those that fit no workflow.",
    ),
    rateLine(
      "Clarify precision",
      "higher is better",
      evaluation.detail.clarification.precision,
      "Clarifying questions about the right workflow, as a share of all clarifying questions.",
    ),
    rateLine(
      "Missing-input recall",
      "higher is better",
      evaluation.detail.clarification.missing_input_recall,
      "Inputs asked for, as a share of those labelled as missing.",
    ),
  ];
}

/** Rates of the ranking, for in-scope requests only. */
export function retrievalRates(evaluation: Evaluation): readonly RateLine[] {
  const better = "higher is better";
  const { top1, recall_at_5, recall_at_k } = evaluation.retrieval;
  const eligible = evaluation.detail.retrieval.depths.map(({ k, eligible_recall }) =>
    rateLine(
      `Allowed workflows only: recall@${k}`,
      better,
      eligible_recall,
      k === 1
        ? "The right workflow is ranked first among those that the caller may use."
        : `The right workflow is among the first ${formatCount(k)} that the caller may use.`,
    ),
  );
  return [
    rateLine("Retrieval top-1", better, top1, "The retriever ranks the right workflow first."),
    rateLine("Retrieval recall@5", better, recall_at_5, "The right workflow is among the first five."),
    rateLine(
      "Retrieval recall@K",
      better,
      recall_at_k,
      "The right workflow is among the candidates. No later stage can exceed this rate.",
    ),
    rateLine("Verified top-1", better, evaluation.verified_top1, "The right workflow is first after verification."),
    ...eligible,
  ];
}

export function decisionTable(evaluation: Evaluation): ReportTable {
  const total = decisionKinds.reduce((sum, kind) => sum + evaluation.decisions[kind], 0);
  const meaning = { ROUTE: "Routed", CLARIFY: "Asked for missing inputs", LLM_REQUIRED: "Declined" } as const;
  return reportTable(
    "Decisions",
    ["Decision", num("Requests"), "Meaning"],
    decisionKinds.map((kind) => [
      kind,
      `${formatCount(evaluation.decisions[kind])} of ${formatCount(total)}`,
      meaning[kind],
    ]),
  );
}

/** Number of requests per reason code, most frequent first. */
export function reasonTable(evaluation: Evaluation): ReportTable {
  const total = evaluation.reasons.reduce((sum, reason) => sum + reason.count, 0);
  return reportTable(
    "Reasons of the decisions",
    ["Reason", num("Requests"), "Meaning"],
    evaluation.reasons
      .toSorted((a, b) => b.count - a.count || (a.reason_code < b.reason_code ? -1 : 1))
      .map(({ reason_code, count }) => [
        reason_code,
        `${formatCount(count)} of ${formatCount(total)}`,
        reasonText(reason_code),
      ]),
  );
}
