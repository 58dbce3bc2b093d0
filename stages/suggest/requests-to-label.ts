import { identityCurve } from "../../src/router/policy/calibrator-curve.js";
import { counted } from "../../src/documents/number-text.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { applyCalibration, marginOf } from "../../src/router/policy/apply-calibration.js";
import { groupBy } from "../../src/base/group-by.js";
import type { ScoredRow } from "./learnable-rows.js";
import type { Suggestion } from "./choose-suggestions.js";

/** Maximum number of consecutive requests with the same first workflow. */
const mostOfOneWorkflow = 3;

export interface RequestToLabel {
  readonly id: string;
  /** The top two workflows; null if missing. */
  readonly first: string | null;
  readonly second: string | null;
  /** The verifier's own probability of the first workflow; 0 without candidates. */
  readonly confidence: number;
  /** Lead of the first workflow over the second, in this probability. */
  readonly margin: number;
}

/** The least confident requests, with a limited number per workflow. Labels are not read. */
export function requestsToLabel(records: readonly ScoredRecord[], most: number): readonly RequestToLabel[] {
  const unsure = records
    .filter(({ error_code: errorCode, candidates }) => errorCode === null && candidates.length > 0)
    .map(leadersOf)
    .sort((a, b) => a.margin - b.margin || (a.id < b.id ? -1 : 1));
  const taken = new Map<string | null, number>();
  const chosen: RequestToLabel[] = [];
  const later: RequestToLabel[] = [];
  for (const request of unsure) {
    const count = (taken.get(request.first) ?? 0) + 1;
    taken.set(request.first, count);
    (count <= mostOfOneWorkflow ? chosen : later).push(request);
  }
  return [...chosen, ...later].slice(0, most);
}

export function leadersOf({ id, candidates }: ScoredRecord): RequestToLabel {
  const [first, second] = applyCalibration(identityCurve, candidates).filter(({ eligible }) => eligible);
  return {
    id,
    first: first?.workflow_id ?? null,
    second: second?.workflow_id ?? null,
    confidence: first?.confidence ?? 0,
    margin: marginOf(first?.confidence ?? 0, second?.confidence ?? 0),
  };
}

/**
 * A suggestion for measuring the gain of labelling: the labelled requests that would have been chosen become examples.
 * null if none of them is in scope.
 */
export function labelSuggestion(choose: readonly ScoredRow[], most: number): Suggestion | null {
  const byId = new Map(choose.map((each) => [each.row.id, each]));
  const picked = requestsToLabel(
    choose.map(({ record }) => record),
    Math.min(most, Math.ceil(choose.length / 2)),
  );
  const rows = picked.flatMap(({ id }) => {
    const found = byId.get(id);
    const workflowId = found?.record.workflow_id ?? null;
    return found === undefined || workflowId === null ? [] : [{ ...found, workflowId }];
  });
  if (rows.length === 0) return null;
  const byWorkflow = groupBy(rows, ({ workflowId }) => workflowId);
  return {
    kind: "label",
    workflows: [...byWorkflow.keys()].sort(),
    requests: rows.map(({ row }) => row.id),
    support: picked.length,
    sentence: `Label ${counted(picked.length, "more request")} that the models are least certain of, and add those in scope as examples; simulated with ${counted(picked.length, "request")} of the dataset.`,
    changes: [...byWorkflow].map(([workflowId, members]) => ({
      workflow_id: workflowId,
      examples: members.map(({ row }) => row.text).filter((text) => text.length <= 1000),
    })),
  };
}
