import { listEntries } from "../../store/history/read.js";
import type { History } from "../../store/history/open.js";
import { readAnyRun } from "./measurable-run.js";
import { isImported, readCalibration } from "../../store/records/read-records.js";

/** One run of the history as lists show it. */
export interface ListedRun {
  readonly run: string;
  readonly at: string;
  readonly kind: "scored" | "imported";
  readonly requests: number;
  readonly scoring_errors: number;
  /** null for imported predictions. */
  readonly dataset_sha256: string | null;
  readonly catalog_sha256: string | null;
  readonly model_version: string;
  /** Calibrations that were fitted on it, oldest first. */
  readonly calibrations: readonly string[];
}

/** Every run, oldest first. */
export function runsOfHistory(history: History): readonly ListedRun[] {
  const fitted = listEntries(history, { kind: "calibration" }).map(({ sha256 }) => ({
    sha256,
    run: readCalibration(history, sha256).document.digests.run,
  }));
  return listEntries(history, { kind: "run" }).map(({ sha256, at }) => {
    const { document } = readAnyRun(history, sha256);
    const imported = isImported(document);
    return {
      run: sha256,
      at,
      kind: imported ? "imported" : "scored",
      requests: document.requests,
      scoring_errors: document.scoring_errors,
      dataset_sha256: imported ? null : document.dataset_sha256,
      catalog_sha256: imported ? null : document.catalog_sha256,
      model_version: document.model_version,
      calibrations: fitted.filter((calibration) => calibration.run === sha256).map((each) => each.sha256),
    };
  });
}
