import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Split } from "../../src/documents/split.js";
import type { FitChoices } from "../fit-options.js";
import type { PlannedClaimKind } from "../../src/documents/calibration-plan.js";

/** Input of a plan. */
export interface PlanInput
  extends Pick<FitChoices, "delta" | "calibrator" | "cross_fit" | "out_of_scope_share" | "start_errors" | "start_icc"> {
  /** Scored requests of a run. Those of TUNE are read, and those of FIT where `withFit` is set; no others. */
  readonly records: readonly ScoredRecord[];
  /** How much data certification has: counts of the folds, never their requests. */
  readonly split: Pick<Split, "folds" | "disjoint_by">;
  /** Claims to plan for. */
  readonly claims: readonly PlannedClaimKind[];
  /** Each in (0, 1). */
  readonly targets: readonly number[];
  /** Reads FIT too: only right where no model learned from it and none of its texts is an example of the catalog. */
  readonly withFit?: boolean;
  /** Whether to search what the other targets are missing, which takes most of the time. Default true. */
  readonly search?: boolean;
  readonly seed: number;
  /** Number of simulated certifications behind each probability. */
  readonly samples: number;
  /** Called after each simulated certification; throwing cancels the plan. */
  readonly afterSample: () => Promise<void>;
}
