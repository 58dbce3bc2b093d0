import { type OptionsOf, resolveOptions } from "../src/base/options.js";
import { reportOptions } from "./options/report.js";
import type { GateOutcome } from "../eval/gates/apply-gate.js";
import type { Verdict } from "../reports/blocks.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { holdGates, readGates } from "./evaluate/hold-gates.js";
import { saveReport, type StoredReport } from "./report/page-file.js";

export type WriteReportOptions = OptionsOf<typeof reportOptions>;

export interface WrittenReport extends Omit<StoredReport, "model"> {
  /** Verdict on the claims on the EVAL fold, with the evidence. */
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly warnings: readonly string[];
  readonly gates: readonly GateOutcome[];
}

/**
 * Writes the report of one fold as a self-contained file, and saves it in the history.
 *
 * @example await writeReport(workbench, { out: "report.md" });
 * @throws {SluiceError} USAGE (extension, invalid gate, or gate without its baseline), RECORD_NOT_FOUND,
 *   CALIBRATION_INVALID, WRITE_FAILED
 */
export async function writeReport(
  workbench: WorkbenchContext,
  options: WriteReportOptions = {},
): Promise<WrittenReport> {
  const given = resolveOptions("writeReport", reportOptions, options);
  const { run: runId, calibration: calibrationId, fold, withTexts, minConfidence, charts, baseline } = given;
  const { out: file = workbench.workspace.report } = given;
  const rules = readGates(given);
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
