import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Split } from "../../src/documents/split.js";
import type { FitChoices } from "../procedure.js";
import type { ClaimKind } from "../../src/documents/choices.js";

export interface PlanInput
  extends Pick<FitChoices, "calibrator" | "cross_fit" | "out_of_scope_share" | "start_errors" | "start_icc"> {
  readonly delta: number;
  /** Scored requests of a run. Only those of TUNE are read, and those of FIT if `withFit` is set. */
  readonly records: readonly ScoredRecord[];
  /** Amount of data for certification: only the counts of the folds are read. */
  readonly split: Pick<Split, "folds" | "disjoint_by">;
  /** Number of the planned calibration among those on the same labels, which sets its level. Default: none is counted. */
  readonly attemptOf?: (claim: ClaimKind) => number | null;
  /** Claims to plan for. */
  readonly claims: readonly ClaimKind[];
  /** Targets to plan for, each in (0, 1). */
  readonly targets: readonly number[];
  /**
   * Whether to read FIT too. Only valid if no model was trained on FIT and the catalog has none of its texts as
   * examples.
   */
  readonly withFit?: boolean;
  /**
   * Whether to search for the data that the uncertified targets are missing, which takes most of the time. Default
   * true.
   */
  readonly search?: boolean;
  readonly seed: number;
  /** Number of simulated certifications per probability. */
  readonly samples: number;
  /** Called after each simulated certification; throwing cancels the plan. */
  readonly afterSample: () => Promise<void>;
}
