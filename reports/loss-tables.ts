import type { AttributionBucket } from "../src/documents/choices.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { formatCount, formatMeasured, formatRate } from "../src/documents/number-text.js";
import type { ReportTable } from "./report-model.js";

const meanings: Readonly<Record<AttributionBucket, string>> = {
  ended_early: "A guard or rule declined it before any model ran.",
  not_allowed: "The caller may not use the right workflow.",
  retrieval_miss: "The right workflow was not among the candidates.",
  verifier_miss: "Another candidate came first after verification.",
  ineligible_competitor: "A better match that the caller may not use came first.",
  retrieval_floor: "No candidate was similar enough.",
  input_timeout: "Reading the inputs took too long.",
  inputs_unresolved: "Right first candidate; inputs missing, and no question was asked.",
  tier_disabled: "Right first candidate of a tier or workflow that abstains.",
  threshold: "Right first candidate, not confident enough.",
  margin: "Right first candidate, the second too close.",
  wrong_question: "Asked back for the wrong inputs.",
  right_question: "Asked back rightly.",
  correct_route: "Routed rightly.",
  out_of_scope_routed: "Out of scope and routed: always wrong.",
  out_of_scope_asked: "Out of scope and asked back.",
  correct_abstention: "Out of scope and declined.",
};

const perfectStage = { retriever: "Retriever", verifier: "Verifier", threshold: "Threshold" } as const;

/** Requests by the first stage that failed, and the effect of one perfect stage; empty without decisions. */
export function lossTables({ detail }: Evaluation): readonly ReportTable[] {
  const { attribution } = detail;
  if (attribution === null) return [];
  return [
    {
      caption: "Where requests end",
      columns: [
        { label: "First failure, or good end", numeric: false },
        { label: "Requests", numeric: true },
        { label: "Routed", numeric: true },
        { label: "Asked", numeric: true },
        { label: "Declined", numeric: true },
        { label: "Meaning", numeric: false },
      ],
      rows: attribution.rows
        .filter(({ requests }) => requests > 0)
        .map(({ bucket, requests, routed, asked, declined }) => [
          bucket.replaceAll("_", " "),
          ...[requests, routed, asked, declined].map(formatCount),
          meanings[bucket],
        ]),
    },
    {
      caption: "If one stage were perfect",
      columns: [
        { label: "Perfect stage", numeric: false },
        { label: "Coverage ↑", numeric: true },
        { label: "Selective risk ↓", numeric: true },
        { label: "In scope and routed right ↑", numeric: true },
      ],
      rows: attribution.counterfactuals.map(({ perfect, coverage, selective_risk, in_scope_right }) => [
        perfectStage[perfect],
        formatRate(coverage),
        formatRate(selective_risk),
        formatRate(in_scope_right),
      ]),
    },
  ];
}

const populationNames: Readonly<Record<string, string>> = {
  seen: "In scope, workflow in FIT",
  unseen_workflow: "In scope, workflow not in FIT",
  near_oos: "Out of scope, near the catalog",
  far_oos: "Out of scope, far from it",
};

/** Metrics by population: seen, unseen, near and far out of scope. */
export function populationTable({ detail }: Evaluation): ReportTable {
  const own = detail.slices.filter(({ dimension }) => dimension === "population");
  return {
    caption: "Populations apart",
    columns: [
      { label: "Requests", numeric: false },
      { label: "Number", numeric: true },
      { label: "Coverage", numeric: true },
      { label: "Selective risk ↓", numeric: true },
      { label: "First candidate right ↑", numeric: true },
      { label: "ECE ↓", numeric: true },
    ],
    rows: own.map(({ value, requests, coverage, selective_risk, verified_top1, equal_width_error }) => [
      populationNames[value] ?? value,
      formatCount(requests),
      formatRate(coverage),
      formatRate(selective_risk),
      formatRate(verified_top1),
      formatMeasured(equal_width_error),
    ]),
  };
}

/** False rejections and catches of each text guard; empty where texts are not known. */
export function guardTable({ detail }: Evaluation): ReportTable {
  return {
    caption: "Each text guard alone",
    columns: [
      { label: "Guard", numeric: false },
      { label: "In the policy", numeric: false },
      { label: "In scope declined ↓", numeric: true },
      { label: "Out of scope declined ↑", numeric: true },
    ],
    rows: (detail.guards ?? []).map(({ guard_id, enabled, in_scope_declined, out_of_scope_declined }) => [
      guard_id,
      enabled ? "yes" : "no",
      formatRate(in_scope_declined),
      formatRate(out_of_scope_declined),
    ]),
  };
}
