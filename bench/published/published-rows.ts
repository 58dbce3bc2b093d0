import type { ReportedSeed } from "./rows.js";

/** Share of the routed requests that is wrong, from the published shares of 4,500 and 1,000 test requests. */
function jointError(coverage: number, selectiveError: number, falsePositives: number): number {
  const [routed, outside] = [coverage * 4500, falsePositives * 1000];
  return (routed * selectiveError + outside) / (routed + outside);
}

function seed(name: number, coverage: number, selectiveError: number, falsePositives: number): ReportedSeed {
  return {
    seed: name,
    top1: null,
    recall_at_5: null,
    coverage,
    selective_error: selectiveError,
    joint_error: jointError(coverage, selectiveError, falsePositives),
    oos_false_positive_rate: falsePositives,
  };
}

/** `open-first/FlowRoute`, experiments/results: MiniLM, ten examples. The joint error follows from the other columns. */
export const flowRouteSeeds: readonly ReportedSeed[] = [
  seed(11, 0.677, 0.0538, 0.035),
  seed(23, 0.646, 0.0409, 0.037),
  seed(37, 0.638, 0.0547, 0.026),
  seed(53, 0.642, 0.0492, 0.023),
  seed(71, 0.597, 0.0313, 0.025),
];

/** Top-1 and recall@5 of the same source, printed as a mean over the seeds only. */
export const flowRouteRanking = { top1: 0.8501, recall_at_5: 0.98 } as const;
export const flowRouteRankingDeviation = { top1: 0.0045, recall_at_5: null } as const;

/** A row of shares that was printed for CLINC150 with all training texts, JINOOS threshold. */
export const fullDataRows = [
  {
    system: "nlp.js 4.27",
    in_scope_accuracy: 0.663,
    oos_recall: 0.686,
    auroc: 0.749,
    aurc: 0.149,
    coverage_at_95: 0,
    ece: 0.165,
  },
  {
    system: "TF-IDF softmax",
    in_scope_accuracy: 0.834,
    oos_recall: 0.889,
    auroc: 0.946,
    aurc: 0.048,
    coverage_at_95: 0.714,
    ece: 0.071,
  },
] as const;
