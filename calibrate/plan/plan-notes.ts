import type { ScoredRecord } from "../../src/domain/scored-record.js";
import type { PlanInput } from "./plan-input.js";

/** Below this number a claim gives little evidence about out-of-scope requests. */
const fewOutOfScope = 30;

/** Limitations of the data for readers of a plan. */
export function planNotes(records: readonly ScoredRecord[], { split, outOfScopeShare }: PlanInput): readonly string[] {
  const { tune, certify } = split.folds;
  const outOfScope = tune.out_of_scope + certify.out_of_scope;
  const notes: string[] = [];
  if (records.length === 0) notes.push("No request of TUNE was scored.");
  if (outOfScope === 0) {
    notes.push(
      "TUNE and CERTIFY have no out-of-scope request: a claim then holds only where every request fits a workflow. " +
        `Add about ${fewOutOfScope} that fit none.`,
    );
  } else if (outOfScope < fewOutOfScope) {
    notes.push(
      `TUNE and CERTIFY have ${outOfScope} out-of-scope requests: how many of them are routed is known only roughly. ` +
        `About ${fewOutOfScope - outOfScope} more would tell.`,
    );
  }
  if (outOfScopeShare !== undefined && outOfScope === 0) {
    notes.push("A share of out-of-scope requests is declared, and there is none to measure it on: nothing certifies.");
  }
  return notes;
}
