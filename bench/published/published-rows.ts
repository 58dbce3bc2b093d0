import type { FullDataRow } from "./full-data-table.js";
import type { ReportedSeed } from "./rows.js";

/**
 * Wrong share of the routed requests, from the published shares on 4,500 in-scope and 1,000 out-of-scope test requests.
 */
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
    ece: null,
    uncalibrated_ece: null,
  };
}

/**
 * `open-first/FlowRoute`, experiments/results: MiniLM, ten examples. The joint error is derived from the other columns.
 */
export const flowRouteSeeds: readonly ReportedSeed[] = [
  seed(11, 0.677, 0.0538, 0.035),
  seed(23, 0.646, 0.0409, 0.037),
  seed(37, 0.638, 0.0547, 0.026),
  seed(53, 0.642, 0.0492, 0.023),
  seed(71, 0.597, 0.0313, 0.025),
];

/** Top-1 and recall@5 of the same source, which published only the mean over the seeds. */
export const flowRouteRanking = { top1: 0.8501, recall_at_5: 0.98 } as const;
export const flowRouteRankingDeviation = { top1: 0.0045, recall_at_5: null } as const;

const about = { row: "clinc150-full-data", source: "reference" } as const;
const notPrinted = {
  recall_at_5: null,
  coverage: null,
  selective_error: null,
  joint_error: null,
  oos_false_positive_rate: null,
  uncalibrated_ece: null,
} as const;

/**
 * Rows for all 100 training texts of each workflow. BERT: `google/uncertainty-baselines`, baselines/clinc_intent; its
 * ECE of .0218 is left out because it covers only in-scope requests. All other rows: top softmax probability, JINOOS
 * threshold.
 */
export const publishedFullData: readonly FullDataRow[] = [
  {
    ...about,
    ...notPrinted,
    source: "published",
    system: "BERT-base",
    top1: 0.965,
    in_scope_accuracy: null,
    oos_recall: null,
    auroc: 0.942,
    aurc: null,
    coverage_at_95: null,
    ece: null,
  },
  {
    ...about,
    ...notPrinted,
    system: "TF-IDF softmax",
    top1: 0.915,
    in_scope_accuracy: 0.834,
    oos_recall: 0.889,
    auroc: 0.946,
    aurc: 0.048,
    coverage_at_95: 0.714,
    ece: 0.071,
  },
  {
    ...about,
    ...notPrinted,
    system: "nlp.js 4.27",
    top1: 0.854,
    in_scope_accuracy: 0.663,
    oos_recall: 0.686,
    auroc: 0.749,
    aurc: 0.149,
    coverage_at_95: 0,
    ece: 0.165,
  },
];
