import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { compareOptions } from "./options/eval.js";
import { applyGate, type GateOutcome } from "../eval/gates/apply-gate.js";
import { claimsOf, readGates } from "./evaluate/hold-gates.js";
import { compareStoredRuns } from "./compare/compare-runs.js";
import { linksBeside, writePage, type WrittenPage } from "./report/page-file.js";
import type { PageLink } from "../reports/blocks.js";
import { comparisonBlocks } from "../reports/comparison/comparison-blocks.js";
import {
  buildComparisonPage,
  type ComparedSubject,
  type ComparisonPage,
} from "../reports/comparison/comparison-page.js";
import { pageForm } from "../reports/page-form.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { shortId } from "../src/base/text.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { runNotes } from "../store/records/run-note.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { resolveRecord } from "../store/history/read.js";
import type { History } from "../store/history/open.js";
import { readCalibration, readRecord } from "../store/records/read-records.js";
import type { Comparison } from "../src/documents/comparison.js";

/** One side: a run, or the run of a calibration or an evaluation, each named by its id. */
interface ComparedRun {
  readonly run: string;
  readonly calibration: string | undefined;
  readonly minConfidence: number | undefined;
}

export type CompareRunsOptions = OptionsOf<typeof compareOptions>;

/** What changes from A to B, and the files that were written. */
export interface RunComparison {
  readonly a: ComparedSubject;
  readonly b: ComparedSubject;
  readonly comparison: Comparison;
  readonly page: ComparisonPage;
  readonly warnings: readonly string[];
  /** Request texts by id; null unless requested. */
  readonly texts: ReadonlyMap<string, string> | null;
  readonly gates: readonly GateOutcome[];
  /** null if no page was asked for. */
  readonly written: WrittenPage | null;
}

/**
 * Compares two runs on the requests that both scored: flipped decisions, and paired differences with intervals. Of
 * different datasets, the requests with the same text and label in both are compared; gates need one dataset. Stores
 * nothing in the history.
 *
 * @example const { comparison } = await compareRuns(workbench, { a: before, b: after });
 * @throws {SluiceError} USAGE (extension, or a side without thresholds), RECORD_NOT_FOUND, RECORD_AMBIGUOUS;
 *   DOCUMENT_INVALID  the runs share no request; CALIBRATION_INVALID, WRITE_FAILED
 */
export async function compareRuns(workbench: WorkbenchContext, options: CompareRunsOptions): Promise<RunComparison> {
  const given = resolveOptions("compareRuns", compareOptions, options);
  const { gate, out: file } = given;
  const form = file === undefined ? null : pageForm(file, "For example: --out comparison.html");
  return withHistory(workbench, "read", async ({ history }) => {
    const rules = readGates({ gate, baseline: given.a });
    const links = file === undefined ? [] : await linksBeside(file);
    const { evaluations, ...compared } = comparisonOf(history, given, links);
    const claims = claimsOf(history, evaluations.b.calibration_sha256);
    return {
      ...compared,
      gates: rules.map((rule) => applyGate(rule, { ...evaluations, comparison: compared.comparison, claims })),
      written:
        file === undefined || form === null
          ? null
          : await writePage(file, form, { blocks: comparisonBlocks(compared.page), document: compared.page }),
    };
  });
}

/**
 * Two stored runs, calibrations or evaluations compared, and their page.
 * @throws {SluiceError} as `compareRuns`
 */
function comparisonOf(history: History, given: ValuesOf<typeof compareOptions>, links: readonly PageLink[]) {
  const { fold, withTexts } = given;
  const askedA = { run: given.a, calibration: given.calibrationA, minConfidence: given.minConfidenceA };
  const askedB = { run: given.b, calibration: given.calibrationB, minConfidence: given.minConfidenceB };
  const sides = { a: sideOf(history, askedA), b: sideOf(history, askedB) };
  const datasets = given.gate.length === 0 ? "shared" : "one";
  const { comparison, warnings, texts, ...evaluations } = compareStoredRuns(history, {
    ...sides,
    fold,
    withTexts,
    datasets,
  });
  if (comparison === null) throw undecided(sides.a.run, warnings);
  const [a, b] = [subjectOf(history, evaluations.a, askedA), subjectOf(history, evaluations.b, askedB)];
  const page = buildComparisonPage({ a, b, decisions: comparison, fold: evaluations.a.fold, warnings, links });
  return { a, b, comparison, page, warnings, texts, evaluations };
}

function sideOf(history: History, { run: id, calibration, minConfidence }: ComparedRun) {
  const named = subjectNamed(history, id);
  const calibrationId = minConfidence === undefined ? (calibration ?? named.calibration) : undefined;
  return { run: named.run, thresholds: { calibrationId, threshold: minConfidence } };
}

function undecided(run: string, reasons: readonly string[]): SluiceError {
  return new SluiceError("USAGE", reasons.join(" "), {
    hint: say`Certify thresholds (${command`sluice calibrate fit --run ${shortId(run)}`}) or set one confidence: --min-confidence-a 0.5 --min-confidence-b 0.5`,
  });
}

/** The subject of a side. A single confidence for every tier has no calibration in the history. */
function subjectOf(history: History, evaluation: Evaluation, { minConfidence }: ComparedRun): ComparedSubject {
  const { run_sha256 } = evaluation;
  const calibrationSha256 = minConfidence === undefined ? evaluation.calibration_sha256 : null;
  const calibration = calibrationSha256 === null ? null : readCalibration(history, calibrationSha256).document;
  const note = runNotes(history).get(run_sha256) ?? null;
  return { runSha256: run_sha256, note, calibrationSha256, calibration, evaluation };
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
      hint: say`List the runs and their calibrations: ${command`sluice eval list`}`,
    });
  }
  if (found.kind === "run") return { run: found.sha256, calibration: undefined };
  if (found.kind === "calibration") {
    return { run: readCalibration(history, found.sha256).document.digests.run, calibration: found.sha256 };
  }
  const { run_sha256, calibration_sha256 } = readRecord(history, "evaluation", found.sha256).document;
  return { run: run_sha256, calibration: calibration_sha256 ?? undefined };
}
