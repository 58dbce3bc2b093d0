import type { ComparedSubject } from "../../reports/comparison/compared.js";
import { comparisonCharts, renderComparisonHtml } from "../../reports/comparison/comparison-html.js";
import { renderComparisonMarkdown } from "../../reports/comparison/comparison-markdown.js";
import { buildComparisonPage, type ComparisonPage } from "../../reports/comparison/comparison-page.js";
import type { DetailedEvaluation } from "../../src/domain/evaluation.js";
import { SluiceError } from "../../src/errors/error.js";
import { compareStoredRuns } from "../evaluation/compare-runs.js";
import type { History } from "../history/open.js";
import { readCalibration } from "../records/read-records.js";
import { shortId } from "../records/short-id.js";
import { withHistory } from "../records/with-history.js";
import { subjectNamed } from "../reporting/compared-subject.js";
import { linksBeside, requirePageEnding, writeCharts, writePage, type WrittenPage } from "../reporting/page-file.js";
import type { WorkbenchContext } from "../workbench-context.js";
import type { ComparedRun, CompareRunsOptions } from "./compare-runs.js";

/** Which two sides are compared, and where the page goes. The id of a run may also be that of a calibration or an evaluation. */
export interface WriteComparisonPageOptions extends Omit<CompareRunsOptions, "withTexts"> {
  /** Ends in .html, .md or .json. */
  readonly file: string;
  /** Folder for the spec and the picture of each chart. Default: none. */
  readonly charts?: string | undefined;
}

/** A comparison page that was written. */
export interface WrittenComparisonPage extends WrittenPage {
  readonly page: ComparisonPage;
  readonly a: ComparedSubject;
  readonly b: ComparedSubject;
  /** Files of charts. */
  readonly charts: readonly string[];
}

/**
 * Writes a page that compares two runs or calibrations: differences, flipped decisions, and where they are. Saves
 * nothing.
 *
 * @example await writeComparisonPage(workbench, { a: { run: before }, b: { run: after }, file: "comparison.html" });
 * @throws {SluiceError} USAGE  another extension, or a side without thresholds; RECORD_NOT_FOUND, RECORD_AMBIGUOUS,
 *   DATASET_INVALID, CALIBRATION_INVALID, WRITE_FAILED
 */
export async function writeComparisonPage(
  workbench: WorkbenchContext,
  options: WriteComparisonPageOptions,
): Promise<WrittenComparisonPage> {
  const { file, fold = "eval" } = options;
  requirePageEnding(file, "comparison");
  return withHistory(workbench, "read", async ({ history }) => {
    const sides = { a: sideOf(history, options.a), b: sideOf(history, options.b) };
    const compared = compareStoredRuns(history, { ...sides, fold, withTexts: false });
    const [a, b] = [subjectOf(history, compared.a, options.a), subjectOf(history, compared.b, options.b)];
    const { comparison, warnings } = compared;
    if (comparison === null) throw undecided([sides.a, sides.b], warnings);
    const page = buildComparisonPage({ a, b, decisions: comparison, fold, warnings, links: await linksBeside(file) });
    const written = await writePage(file, {
      html: () => renderComparisonHtml(page),
      markdown: () => renderComparisonMarkdown(page),
      json: () => page,
    });
    const charts = await writeCharts(options.charts, comparisonCharts(page));
    return { ...written, page, a, b, charts };
  });
}

function sideOf(history: History, { run: id, calibration, minConfidence }: ComparedRun) {
  const named = subjectNamed(history, id);
  const calibrationId = minConfidence === undefined ? (calibration ?? named.calibration) : undefined;
  return { run: named.run, thresholds: { calibrationId, threshold: minConfidence } };
}

/** One confidence for every tier is not a calibration of the history. */
function subjectOf(history: History, evaluation: DetailedEvaluation, { minConfidence }: ComparedRun): ComparedSubject {
  const { runSha256 } = evaluation;
  const calibrationSha256 = minConfidence === undefined ? evaluation.calibrationSha256 : null;
  const calibration = calibrationSha256 === null ? null : readCalibration(history, calibrationSha256).document;
  return { runSha256, calibrationSha256, calibration, evaluation };
}

function undecided(sides: readonly { readonly run: string }[], [reason = ""]: readonly string[]): SluiceError {
  const [first] = sides;
  return new SluiceError("USAGE", `a comparison page needs decisions of both sides. ${reason}`.trimEnd(), {
    hint: `Certify thresholds (sluice calibrate fit --run ${shortId(first?.run ?? "RUN")}) or name one confidence: --min-confidence-a 0.5 --min-confidence-b 0.5`,
  });
}
