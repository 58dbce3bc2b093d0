import { identityCurve } from "../../src/router/policy/calibrator-curve.js";
import { type OptionsOf, resolveOptions } from "../../src/base/options.js";
import { calibrationPageOptions } from "../options/report.js";
import { type CalibrationPlan } from "../../src/documents/calibration-plan.js";
import { claimKinds } from "../../src/documents/choices.js";
import { claimNames, missingText } from "../../reports/text/plan-text.js";
import { calibrationBlocks } from "../../reports/calibration/calibration-blocks.js";
import {
  type CalibrationPage,
  buildCalibrationPage,
  type CalibrationPageInput,
} from "../../reports/calibration/calibration-page.js";
import type { PlannedPoint } from "../../reports/charts/plan-targets.js";
import { planRun } from "../plan.js";
import { readCalibration, readRun, readScoredRecords } from "../../store/records/read-records.js";
import { type Session, withHistory } from "../../store/records/session.js";
import { pageForm } from "../../reports/page-form.js";
import { linksBeside, writeCharts, writePage, type WrittenPage } from "./page-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { History } from "../../store/history/open.js";
import { shownFold } from "../../eval/shown-fold.js";
import { decidedBy } from "../evaluate/measurable-run.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import { decideRequests } from "../../eval/requests/decided-request.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { expectedCalibrationError, reliabilityBins } from "../../eval/stats/reliability.js";
import { scoreTable } from "../../eval/stats/roc.js";

export type WriteCalibrationPageOptions = OptionsOf<typeof calibrationPageOptions>;

export interface WrittenCalibrationPage extends WrittenPage {
  readonly calibrationId: string;
  readonly page: CalibrationPage;
  readonly charts: readonly string[];
}

/**
 * Writes the page of one calibration: the claim, its conditions, the certification of its thresholds, and what it does
 * not cover. Saves nothing in the history; equal records give equal bytes.
 *
 * @example await writeCalibrationPage(workbench, { out: "calibration.html" });
 * @throws {SluiceError} USAGE (extension), RECORD_NOT_FOUND, RECORD_AMBIGUOUS, INTERRUPTED, WRITE_FAILED
 */
export async function writeCalibrationPage(
  workbench: WorkbenchContext,
  options: WriteCalibrationPageOptions = {},
): Promise<WrittenCalibrationPage> {
  const {
    calibration: id,
    out: file,
    withPlan,
    charts: folder,
  } = resolveOptions("writeCalibrationPage", calibrationPageOptions, options);
  const form = pageForm(file, "For example: --out calibration.html");
  return withHistory(workbench, "read", async (session) => {
    const plan = withPlan ? { plan: await plannedPoints(session, id) } : {};
    const { sha256, page } = calibrationPageOf(session.history, id, { ...plan, links: await linksBeside(file) });
    const blocks = calibrationBlocks(page);
    const written = await writePage(file, form, { blocks, document: page });
    const charts = await writeCharts(folder, blocks);
    return { ...written, calibrationId: sha256, page, charts };
  });
}

async function plannedPoints(session: Session, calibration: string | undefined): Promise<readonly PlannedPoint[]> {
  const { document } = readCalibration(session.history, calibration);
  const { plan } = await planRun(session, document.digests.run, {
    claims: claimKinds,
    delta: document.joint_delta,
  });
  return pointsOf(plan);
}

const pointsOf = ({ claims }: CalibrationPlan): readonly PlannedPoint[] =>
  claims.flatMap((claim) =>
    claim.targets.map(({ target, probability, coverage, missing }) => ({
      claim: claimNames[claim.claim],
      target,
      probability,
      coverage,
      missing: missingText(missing, claim),
    })),
  );

/** The page of a stored calibration. @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS */
export function calibrationPageOf(
  history: History,
  id: string | undefined,
  added: Pick<CalibrationPageInput, "plan" | "links"> = {},
): { readonly sha256: string; readonly page: CalibrationPage } {
  const { sha256, document } = readCalibration(history, id);
  const run = readRun(history, document.digests.run);
  const reliability = reliabilityOfRun(readScoredRecords(history, run), {
    calibration: decidedBy(history, { sha256, document }, run).document,
    topK: run.document.top_k,
  });
  return {
    sha256,
    page: buildCalibrationPage({ calibrationSha256: sha256, calibration: document, reliability, ...added }),
  };
}

interface ReliabilityOptions {
  readonly calibration: EvaluatedThresholds;
  readonly topK: number;
}

/** Reliability on held-out requests (on CERTIFY if there are none), uncalibrated and under a calibration. */
function reliabilityOfRun(records: readonly ScoredRecord[], { calibration, topK }: ReliabilityOptions) {
  return {
    fold: shownFold(records, "eval"),
    before: reliabilityUnder(records, {
      calibration: { ...calibration, calibrator: identityCurve, testedBy: undefined },
      topK,
    }),
    after: reliabilityUnder(records, { calibration, topK }),
  };
}

function reliabilityUnder(records: readonly ScoredRecord[], { calibration, topK }: ReliabilityOptions) {
  const outcomes = decideRequests(records, { thresholds: calibration, topK, fold: shownFold(records, "eval") }).flatMap(
    ({ outcome }) => outcome ?? [],
  );
  const scores = scoreTable(
    outcomes.map(({ top }) => top?.confidence ?? 0),
    outcomes.map(({ topIsRight }) => topIsRight),
  );
  return { bins: reliabilityBins(scores), error: expectedCalibrationError(scores) };
}
