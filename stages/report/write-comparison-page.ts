import type { ComparedSubject } from "../../reports/comparison/compared.js";
import { comparisonCharts, renderComparisonHtml } from "../../reports/comparison/comparison-html.js";
import { renderComparisonMarkdown } from "../../reports/comparison/comparison-markdown.js";
import type { ComparisonPage } from "../../reports/comparison/comparison-page.js";
import { withHistory } from "../../store/records/with-history.js";
import { comparisonPageOf } from "./comparison-page-of.js";
import { linksBeside, requirePageEnding, writeCharts, writePage, type WrittenPage } from "./page-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { CompareRunsOptions } from "../compare.js";

/**
 * The two sides to compare, and the destination of the page. A run may also be specified by the id of a calibration or
 * an evaluation.
 */
export interface WriteComparisonPageOptions extends Omit<CompareRunsOptions, "withTexts"> {
  /** File with the extension .html, .md or .json. */
  readonly file: string;
  /** Folder for the spec and the image of each chart. Default: none. */
  readonly charts?: string | undefined;
}

export interface WrittenComparisonPage extends WrittenPage {
  readonly page: ComparisonPage;
  readonly a: ComparedSubject;
  readonly b: ComparedSubject;
  /** Chart files. */
  readonly charts: readonly string[];
}

/**
 * Writes a page that compares two runs or calibrations: differences, and flipped decisions by group. Saves nothing.
 *
 * @example await writeComparisonPage(workbench, { a: { run: before }, b: { run: after }, file: "comparison.html" });
 * @throws {SluiceError} USAGE (extension, or a side without thresholds), RECORD_NOT_FOUND, RECORD_AMBIGUOUS,
 *   DATASET_INVALID, CALIBRATION_INVALID, WRITE_FAILED
 */
export async function writeComparisonPage(
  workbench: WorkbenchContext,
  options: WriteComparisonPageOptions,
): Promise<WrittenComparisonPage> {
  const { file, fold = "eval" } = options;
  requirePageEnding(file, "comparison");
  return withHistory(workbench, "read", async ({ history }) => {
    const { a, b } = options;
    const compared = comparisonPageOf(history, { a, b, fold }, { links: await linksBeside(file) });
    const { page } = compared;
    const written = await writePage(file, {
      html: () => renderComparisonHtml(page),
      markdown: () => renderComparisonMarkdown(page),
      json: () => page,
    });
    const charts = await writeCharts(options.charts, comparisonCharts(page));
    return { ...written, ...compared, charts };
  });
}
