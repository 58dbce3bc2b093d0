import { optionsOf, requireOptions } from "../checked-options.js";
import { comparisonBlocks } from "../../reports/comparison/comparison-blocks.js";
import {
  type ComparedSubject,
  type ComparisonPage,
  buildComparisonPage,
  type ComparisonPageInput,
} from "../../reports/comparison/comparison-page.js";
import { withHistory } from "../../store/records/session.js";
import { pageForm } from "../../reports/page-form.js";
import { linksBeside, writeCharts, writePage, type WrittenPage } from "./page-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { type ComparedRun, type CompareRunsOptions, requireRuns } from "../compare.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import type { Fold } from "../../src/documents/choices.js";
import { SluiceError } from "../../src/base/error.js";
import { compareStoredRuns } from "../compare/compare-runs.js";
import type { History } from "../../store/history/open.js";
import { readCalibration, readRecord } from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";
import { resolveRecord } from "../../store/history/read.js";

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
  readonly charts: readonly string[];
}

const writeComparisonPageOptions = optionsOf<WriteComparisonPageOptions>()({
  string: ["file", "charts", "fold"],
  list: ["gates"],
  object: ["a", "b"],
});

/**
 * Writes a page that compares two runs or calibrations: differences, and flipped decisions by group. Saves nothing.
 *
 * @example await writeComparisonPage(workbench, { a: { run: before }, b: { run: after }, file: "comparison.html" });
 * @throws {SluiceError} USAGE (extension, or a side without thresholds), RECORD_NOT_FOUND, RECORD_AMBIGUOUS,
 *   DOCUMENT_INVALID, CALIBRATION_INVALID, WRITE_FAILED
 */
export async function writeComparisonPage(
  workbench: WorkbenchContext,
  options: WriteComparisonPageOptions,
): Promise<WrittenComparisonPage> {
  requireOptions("writeComparisonPage", options, writeComparisonPageOptions);
  requireRuns("writeComparisonPage", options);
  const { file, fold = "eval" } = options;
  const form = pageForm(file, "For example: --out comparison.html");
  return withHistory(workbench, "read", async ({ history }) => {
    const { a, b } = options;
    const compared = comparisonPageOf(history, { a, b, fold }, { links: await linksBeside(file) });
    const { page } = compared;
    const blocks = comparisonBlocks(page);
    const written = await writePage(file, form, { blocks, document: page });
    const charts = await writeCharts(options.charts, blocks);
    return { ...written, ...compared, charts };
  });
}

/** The two sides to compare. A run may also be specified by the id of a calibration or an evaluation. */
interface ComparedPageOptions {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly fold: Fold | "all";
}

/**
 * The page of two stored runs or calibrations.
 * @throws {SluiceError} USAGE  a side without thresholds; RECORD_NOT_FOUND, RECORD_AMBIGUOUS, DOCUMENT_INVALID,
 *   CALIBRATION_INVALID
 */
export function comparisonPageOf(
  history: History,
  options: ComparedPageOptions,
  added: Pick<ComparisonPageInput, "links"> = {},
): { readonly page: ComparisonPage; readonly a: ComparedSubject; readonly b: ComparedSubject } {
  const { fold } = options;
  const sides = { a: sideOf(history, options.a), b: sideOf(history, options.b) };
  const compared = compareStoredRuns(history, { ...sides, fold, withTexts: false });
  const [a, b] = [subjectOf(history, compared.a, options.a), subjectOf(history, compared.b, options.b)];
  const { comparison, warnings } = compared;
  if (comparison === null) throw undecided([sides.a, sides.b], warnings);
  return {
    page: buildComparisonPage({ a, b, decisions: comparison, fold: compared.a.fold, warnings, ...added }),
    a,
    b,
  };
}

function sideOf(history: History, { run: id, calibration, minConfidence }: ComparedRun) {
  const named = subjectNamed(history, id);
  const calibrationId = minConfidence === undefined ? (calibration ?? named.calibration) : undefined;
  return { run: named.run, thresholds: { calibrationId, threshold: minConfidence } };
}

/** The subject of a side. A single confidence for every tier has no calibration in the history. */
function subjectOf(history: History, evaluation: Evaluation, { minConfidence }: ComparedRun): ComparedSubject {
  const { run_sha256 } = evaluation;
  const calibrationSha256 = minConfidence === undefined ? evaluation.calibration_sha256 : null;
  const calibration = calibrationSha256 === null ? null : readCalibration(history, calibrationSha256).document;
  return { runSha256: run_sha256, calibrationSha256, calibration, evaluation };
}

function undecided(sides: readonly { readonly run: string }[], [reason = ""]: readonly string[]): SluiceError {
  const [first] = sides;
  return new SluiceError("USAGE", `a comparison page requires decisions on both sides. ${reason}`.trimEnd(), {
    hint: `Certify thresholds (sluice calibrate fit --run ${shortId(first?.run ?? "RUN")}) or set one confidence: --min-confidence-a 0.5 --min-confidence-b 0.5`,
  });
}

interface NamedSubject {
  readonly run: string;
  readonly calibration: string | undefined;
}

const kinds = ["run", "calibration", "evaluation"] as const;

/** The kind of the record with this id; undefined if it is none of the three. */
function kindOf(
  history: History,
  id: string,
): { readonly kind: (typeof kinds)[number]; readonly sha256: string } | undefined {
  for (const kind of kinds) {
    try {
      return { kind, sha256: resolveRecord(history, kind, id).sha256 };
    } catch (error) {
      if (!(error instanceof SluiceError) || error.code !== "RECORD_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

/** The run and thresholds for the id of a run, a calibration or an evaluation. */
function subjectNamed(history: History, id: string): NamedSubject {
  const found = kindOf(history, id);
  if (found === undefined) {
    throw new SluiceError("RECORD_NOT_FOUND", `found no run, calibration or evaluation ${id}`, {
      hint: "List the runs and their calibrations: sluice eval list",
    });
  }
  if (found.kind === "run") return { run: found.sha256, calibration: undefined };
  if (found.kind === "calibration") {
    return { run: readCalibration(history, found.sha256).document.digests.run, calibration: found.sha256 };
  }
  const { run_sha256, calibration_sha256 } = readRecord(history, "evaluation", found.sha256).document;
  return { run: run_sha256, calibration: calibration_sha256 ?? undefined };
}
