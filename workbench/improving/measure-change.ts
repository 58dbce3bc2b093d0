import { compareAnswers } from "../../eval/baselines/compare-answers.js";
import { answerOfRecord, type RankedAnswer } from "../../eval/baselines/ranked-answer.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import type { WorkflowId } from "../../src/domain/primitives.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import type { CatalogChange } from "./catalog-change.js";
import { editCatalog } from "./edit-catalog.js";
import type { ScoredRow } from "./learnable-rows.js";
import type { ScoreWith } from "./misplaced-examples.js";
import type { Gain } from "./suggestion.js";

/** The verifier's own probability: thresholds were certified on labels that no suggestion may see. */
const uncalibrated = { slope: 1, intercept: 0 } as const;

export interface MeasureInput {
  /** Bytes of the catalog as it is. */
  readonly catalog: Uint8Array;
  /** Held-out requests with their scores under that catalog. */
  readonly measure: readonly ScoredRow[];
  readonly score: ScoreWith;
}

/** Applies changes to a copy of the catalog, scores the held-out requests again and compares them in pairs. */
export async function measureChange(
  { catalog, measure, score }: MeasureInput,
  changes: readonly CatalogChange[],
): Promise<Gain> {
  const merged = new Map(
    changes.flatMap((change) => (change.kind === "merge" ? [[change.from, change.into] as const] : [])),
  );
  const rows = measure.map(({ row, record }) => relabelled({ ...row, workflowId: record.workflowId }, merged));
  const records = await score(editCatalog(catalog, changes).document, rows);
  const pairs = records.flatMap((record, index): readonly (readonly [RankedAnswer, RankedAnswer])[] => {
    const before = measure[index]?.record;
    return before === undefined || record.errorCode !== null ? [] : [answersOf(record, before)];
  });
  if (pairs.length === 0) throw new SluiceError("MODEL_RUN_FAILED", "no held-out request could be scored again");
  return gainOf(pairs);
}

/** Both decisions count in the request's original cluster and scope. */
function answersOf(after: ScoredRecord, before: ScoredRecord): readonly [RankedAnswer, RankedAnswer] {
  const base = answerOfRecord(before, uncalibrated);
  const { cluster, scope } = base;
  return [{ ...answerOfRecord(after, uncalibrated), cluster, scope }, base];
}

function relabelled(row: LabelledRequest, merged: ReadonlyMap<WorkflowId, WorkflowId>): LabelledRequest {
  if (merged.size === 0) return row;
  const renamed = (id: WorkflowId): WorkflowId => merged.get(id) ?? id;
  const { workflowId, allowedWorkflowIds } = row;
  return {
    ...row,
    workflowId: workflowId === null ? null : renamed(workflowId),
    ...(allowedWorkflowIds === undefined || allowedWorkflowIds === null
      ? {}
      : { allowedWorkflowIds: [...new Set(allowedWorkflowIds.map((id) => renamed(id as WorkflowId)))] }),
  };
}

function gainOf(pairs: readonly (readonly [RankedAnswer, RankedAnswer])[]): Gain {
  const [after, before] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
  const comparison = compareAnswers(after, before, { baseline: "as it is" });
  const first = comparison.measures.find(({ name }) => name === "first_right");
  const rightOf = (answers: readonly RankedAnswer[]): number => answers.filter(({ right }) => right).length;
  return {
    inScope: comparison.inScope,
    before: rightOf(before),
    after: rightOf(after),
    difference: first?.difference.measured.value ?? null,
    band: first?.difference.band ?? null,
    pValue: first?.pValue ?? null,
    verdict: first?.verdict ?? "not_shown",
    comparison,
  };
}
