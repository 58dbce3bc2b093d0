import type { CalibratorCurve } from "../../src/documents/calibrator.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { unbounded } from "../../src/documents/run-scope.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { topEligible } from "../../src/router/policy/apply-calibration.js";
import { bestPositions, rankOf } from "../../src/router/retrieval/best-positions.js";
import type { Retriever } from "../../src/router/retrieval/retriever.js";

/** One system's answer to one request, before any threshold applies. */
export interface RankedAnswer {
  readonly id: string;
  /** Requests of one cluster are resampled together. */
  readonly cluster: string;
  readonly scope: "in_scope" | "near_oos" | "far_oos";
  /** Whether the best workflow that the caller may use is the right one; false for out-of-scope requests. */
  readonly right: boolean;
  /**
   * 1-based rank of the right workflow in the whole catalog; null if it is not ranked or the request is out of scope.
   */
  readonly goldRank: number | null;
  /** The system's confidence in its answer, on its own scale. */
  readonly score: number;
}

type Gold = Pick<ScoredRecord, "id" | "cluster" | "workflow_id" | "population">;

const scopeOf = ({ workflow_id: workflowId, population }: Gold): RankedAnswer["scope"] => {
  if (workflowId !== null) return "in_scope";
  return population === "near_oos" ? "near_oos" : "far_oos";
};

/**
 * The answer of retriever and verifier: the candidate with the highest confidence, and the retriever's rank of the
 * right workflow.
 */
export function answerOfRecord(record: ScoredRecord, calibrator: CalibratorCurve): RankedAnswer {
  const top = topEligible(calibrator, record.candidates);
  return {
    id: record.id,
    cluster: record.cluster,
    scope: scopeOf(record),
    right: top !== null && top.workflow_id === record.workflow_id,
    goldRank: record.gold_rank,
    score: top?.confidence ?? 0,
  };
}

/** The answer of a retriever alone: the best-scoring workflow that the caller may use, with its score. */
export async function answerOfRetriever(
  retriever: Retriever,
  record: Gold,
  request: Pick<LabelledRequest, "text" | "allowed_workflow_ids">,
): Promise<RankedAnswer> {
  const ranking = await retriever.rank(request.text.trim(), unbounded);
  const { allowed_workflow_ids: allowedWorkflowIds = null } = request;
  const allowed = allowedWorkflowIds === null ? null : new Set(allowedWorkflowIds);
  const mayUse = (position: number) => allowed === null || allowed.has(ranking.workflowIds[position] ?? "");
  const [first] = bestPositions(ranking, 1, mayUse);
  const gold = record.workflow_id === null ? -1 : ranking.workflowIds.indexOf(record.workflow_id);
  return {
    id: record.id,
    cluster: record.cluster,
    scope: scopeOf(record),
    right: first !== undefined && first === gold,
    goldRank: gold < 0 ? null : rankOf(ranking, gold) + 1,
    score: first === undefined ? 0 : (ranking.scores[first] ?? 0),
  };
}
