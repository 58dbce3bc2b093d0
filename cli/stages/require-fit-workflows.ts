import type { SplitWire } from "../../src/domain/split.js";
import { SluiceError } from "../../src/errors/error.js";
import { shortId } from "../short-id.js";
import type { Kept } from "./read-records.js";

/** @throws {SluiceError} SPLIT_TOO_SMALL  the FIT fold has no workflow, so that no model can be fitted on it */
export function requireFitWorkflows({ sha256, document }: Pick<Kept<SplitWire>, "sha256" | "document">): void {
  if (document.folds.fit.workflows > 0) return;
  throw new SluiceError(
    "SPLIT_TOO_SMALL",
    `the FIT fold of split ${shortId(sha256)} has no workflow, expected at least 1`,
    {
      hint:
        `Give fit a larger share: sluice dataset split --dataset ${shortId(document.dataset_sha256)} ` +
        "--shares 0.35,0.15,0.3,0.2; or label requests of more workflows.",
    },
  );
}
