import type { AttributionBucket } from "../src/documents/choices.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { formatCount, formatMeasured, formatRate } from "../src/documents/number-text.js";
import { num, reportTable, type ReportTable } from "./blocks.js";

const meanings: Readonly<Record<AttributionBucket, string>> = {
  ended_early: "A rule declined it before any model ran.",
  not_allowed: "The caller is not allowed to use the right workflow.",
  retrieval_miss: "The right workflow was not among the candidates.",
  verifier_miss: "Another candidate came first after verification.",
  ineligible_competitor: "A workflow that the caller may not use matched better.",
  other_language: "The text was read to be in a language that the claim does not cover.",
  not_one_wish: "The first candidate was right, but the text seemed to say more, or the opposite.",
  retrieval_floor: "No candidate was similar enough.",
  input_timeout: "Finding inputs in the text took too long.",
  inputs_unresolved: "The first candidate was right, but inputs were missing and no question was asked.",
  tier_disabled: "The first candidate was right, but its tier or workflow abstains.",
  threshold: "The first candidate was right, but the confidence was too low.",
  margin: "The first candidate was right, but the second was too close.",
  wrong_question: "Asked about the wrong workflow or inputs.",
  right_question: "Asked for the inputs that are missing.",
  correct_route: "Routed to the right workflow.",
  out_of_scope_routed: "Out of scope and routed: always wrong.",
  out_of_scope_asked: "Out of scope, and a question was asked.",
  correct_abstention: "Out of scope and declined.",
};

const perfectStage = { retriever: "Retriever", verifier: "Verifier", threshold: "Threshold" } as const;

/**
 * Tables of requests by the first stage that failed, and of the effect of one perfect stage; empty without decisions.
 */
export function lossTables({ detail }: Evaluation): readonly ReportTable[] {
  const { attribution } = detail;
  if (attribution === null) return [];
  return [
    reportTable(
      "Requests by first failure, with decisions",
      ["First failure, or correct outcome", num("Requests"), num("Routed"), num("Asked"), num("Declined"), "Meaning"],
      attribution.rows
        .filter(({ requests }) => requests > 0)
        .map(({ bucket, requests, routed, asked, declined }) => [
          bucket.replaceAll("_", " "),
          ...[requests, routed, asked, declined].map(formatCount),
          meanings[bucket],
        ]),
    ),
    reportTable(
      "If one stage were perfect",
      ["Perfect stage", num("Coverage ↑"), num("Selective risk ↓"), num("In scope, routed right ↑")],
      attribution.counterfactuals.map(({ perfect, coverage, selective_risk, in_scope_right }) => [
        perfectStage[perfect],
        formatRate(coverage),
        formatRate(selective_risk),
        formatRate(in_scope_right),
      ]),
    ),
  ];
}

const populationNames: Readonly<Record<string, string>> = {
  seen: "In scope, workflow in FIT",
  unseen_workflow: "In scope, workflow not in FIT",
  near_oos: "Out of scope, near the catalog",
  far_oos: "Out of scope, far from the catalog",
};

/** Table of metrics by population: seen, unseen, near and far out of scope. */
export function populationTable({ detail }: Evaluation): ReportTable {
  const own = detail.slices.filter(({ dimension }) => dimension === "population");
  return reportTable(
    "By population",
    ["Requests", num("Number"), num("Coverage"), num("Selective risk ↓"), num("Verified top-1 ↑"), num("ECE ↓")],
    own.map(({ value, requests, coverage, selective_risk, verified_top1, equal_width_error }) => [
      populationNames[value] ?? value,
      formatCount(requests),
      formatRate(coverage),
      formatRate(selective_risk),
      formatRate(verified_top1),
      formatMeasured(equal_width_error),
    ]),
  );
}
