import { optionsOf, requireOptions } from "./checked-options.js";
import type { GateOutcome } from "../eval/gates/apply-gate.js";
import type { Verdict } from "../reports/blocks.js";
import type { Fold } from "../src/documents/choices.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { type GateChoice, holdGates, readGates } from "./evaluate/hold-gates.js";
import { saveReport, type StoredReport } from "./report/page-file.js";

export interface WriteReportOptions extends GateChoice {
  /** Run id or its beginning. Default: the run of the calibration. */
  readonly run?: string | undefined;
  /** Calibration id or its beginning. Default: the latest fitted on the run. */
  readonly calibration?: string | undefined;
  /** Fold to report; the report notes any fold other than EVAL. Default "eval". */
  readonly fold?: Fold | "all";
  /** Whether the explorer on the page shows request texts. Default false. */
  readonly withTexts?: boolean;
  /** Confidence threshold in [0, 1] for every tier, instead of a calibration. */
  readonly minConfidence?: number | undefined;
  /** File with the extension .html, .md or .json. Default: report.html of the workspace. */
  readonly file?: string | undefined;
  /** Folder for the spec and the image of each chart. Default: none. */
  readonly charts?: string | undefined;
}

export interface WrittenReport extends Omit<StoredReport, "model"> {
  /** Verdict on the claims on the EVAL fold, with the evidence. */
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly warnings: readonly string[];
  readonly gates: readonly GateOutcome[];
}

const writeReportOptions = optionsOf<WriteReportOptions>()({
  string: ["run", "calibration", "fold", "file", "charts", "baseline"],
  boolean: ["withTexts"],
  number: ["minConfidence"],
  list: ["gates"],
});

/**
 * Writes the report of one fold as a self-contained file, and saves it in the history.
 *
 * @example await writeReport(workbench, { file: "report.md" });
 * @throws {SluiceError} USAGE (extension, invalid gate, or gate without its baseline), RECORD_NOT_FOUND,
 *   CALIBRATION_INVALID, WRITE_FAILED
 */
export async function writeReport(
  workbench: WorkbenchContext,
  options: WriteReportOptions = {},
): Promise<WrittenReport> {
  requireOptions("writeReport", options, writeReportOptions);
  const { run: runId, calibration: calibrationId, fold = "eval", withTexts = false, minConfidence, charts } = options;
  const { file = workbench.workspace.report, baseline } = options;
  const rules = readGates(options);
  return withHistory(workbench, "write", async (session) => {
    const subject = { runId, calibrationId, fold, withTexts, minConfidence };
    const { model, ...kept } = await saveReport(session, { ...subject, file, charts });
    const { verdict, sentence } = model.overall;
    const thresholds =
      kept.calibrationId === null ? { threshold: minConfidence } : { calibrationId: kept.calibrationId };
    const gates = holdGates(session.history, { gates: rules, runId: kept.runId, thresholds, fold, baseline });
    return { ...kept, verdict, sentence, warnings: model.warnings, gates };
  });
}
