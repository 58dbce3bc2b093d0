import type { LeftOutOptions } from "./left-out.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { foldOfRow, type Split } from "../src/documents/split.js";
import { leftOutSplit } from "./split-by-request.js";
import { foldOf } from "./split-by-workflow.js";

/**
 * Whether test rows of a split may be relatives of catalog examples, so that their families must be left out when they
 * are scored. This is the case if every text is used twice, or if rows that became examples remained test rows.
 */
export const scoresLeftOut = ({ disjoint_by: by, retained = 0 }: Split): boolean =>
  by === leftOutSplit || (by === "request" && retained > 0);

/** The options for leaving out families under a split: its tested rows and its texts with the same meaning. */
export const leftOutOf = (split: Split): LeftOutOptions => ({ isTested: isTestedIn(split), alike: split.alike });

/** Whether a row of a split is used to certify. */
export function isTestedIn(split: Split): (row: LabelledRequest) => boolean {
  const folds = foldOf(split);
  return (row) => {
    const fold = foldOfRow(row, folds);
    return fold === "certify" || fold === "tune";
  };
}
