import { compareAnswers } from "../../eval/baselines/compare-answers.js";
import { loadBaselines } from "../../eval/baselines/load-baselines.js";
import { answerOfRecord, answerOfRetriever } from "../../eval/baselines/ranked-answer.js";
import type { BaselineComparison } from "../../src/documents/baseline.js";
import type { CalibratorCurve } from "../../src/documents/calibrator.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import type { Fold } from "../../src/documents/choices.js";
import type { History } from "../../store/history/open.js";
import { activeWorkflows } from "../../src/router/policy/eligibility.js";
import { readCatalog, readDataset } from "../../store/records/read-records.js";

/** A run next to its baselines, and the baselines left out because the catalog is too large. */
export interface RunBaselines {
  readonly comparisons: readonly BaselineComparison[];
  readonly leftOut: readonly string[];
}

export interface BaselineOptions {
  readonly document: Run;
  readonly records: readonly ScoredRecord[];
  readonly fold: Fold | "all";
  /** Computes the confidence that orders the run's requests. */
  readonly calibrator: CalibratorCurve;
}

/** Ranks the texts of one fold with BM25 and with the lexical retriever, and compares the run with each. */
export async function baselinesOfRun(history: History, options: BaselineOptions): Promise<RunBaselines> {
  const { document, calibrator, fold } = options;
  const records = options.records.filter(
    (record) => record.error_code === null && (fold === "all" || record.fold === fold),
  );
  if (records.length === 0) return { comparisons: [], leftOut: [] };
  const workflows = activeWorkflows(readCatalog(history, document.catalog_sha256).document);
  const requests = new Map(readDataset(history, document.dataset_sha256).document.map((row) => [row.id, row]));
  const own = records.map((record) => answerOfRecord(record, calibrator));
  const { baselines, leftOut } = await loadBaselines(workflows);
  const comparisons: BaselineComparison[] = [];
  for (const { name, retriever } of baselines) {
    const answers = [];
    for (const record of records) {
      answers.push(await answerOfRetriever(retriever, record, requests.get(record.id) ?? { text: "" }));
    }
    comparisons.push(compareAnswers(own, answers, { baseline: name }));
  }
  return { comparisons, leftOut };
}
