import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { fitThresholds } from "../fit/fit-thresholds.js";
import { saveSplit, type SaveSplitOptions } from "../import/save-dataset.js";
import { scoreRun } from "../score/score-run.js";
import { shortId } from "../../src/base/text.js";
import type { Session } from "../../store/records/session.js";
import { type DemonstrationContext, quickstartSettings as settings } from "./settings.js";
import type { Comparison } from "../../src/documents/comparison.js";
import { SluiceError } from "../../src/base/error.js";
import { compareStoredRuns } from "../compare/compare-runs.js";
import { fitLexicalModels } from "../models/fit-models.js";

/** A claim and its evaluation on the EVAL fold. */
export interface Claimed {
  readonly calibration: Calibration;
  readonly evaluation: Evaluation;
}

/**
 * Scores the requests of the workflows outside the FIT fold, split by request, for a claim about this catalog with the
 * same models. Runs before the served run, which reuses these scores, so that the latest records are the bundle's.
 *
 * @param byWorkflow  the served split, whose FIT fold is preserved
 * @returns  the id of the run
 */
export async function scoreByRequest(session: Session, byWorkflow: SaveSplitOptions): Promise<string> {
  const { catalog, ...options } = byWorkflow;
  const { folds } = splitByWorkflow({ ...options, catalog: catalog.document });
  const { splitId } = await saveSplit(session, { ...byWorkflow, by: "request", keptFit: folds.fit.clusters });
  const { retriever, verifier, workers } = settings;
  const { runId } = await scoreRun(session, {
    splitId,
    retriever: { kind: "file", path: retriever },
    verifier: { kind: "file", path: verifier },
    workers,
    maxErrorShare: 0,
  });
  return runId;
}

/**
 * Certifies the claim about this catalog, on the workflows outside the FIT fold. Requests to other workflows are
 * declined.
 */
export async function certifyThisCatalog(session: Session, runId: string): Promise<Claimed> {
  const { delta, catalogClaim } = settings;
  const version = `demonstration-catalog-${shortId(runId)}`;
  const fitted = await fitThresholds(session, { runId, ...catalogClaim, claim: "fixed-catalog", delta, version });
  return { calibration: fitted.calibration.document, evaluation: fitted.evaluation.document };
}

/** A pair of models with its thresholds. */
interface CertifiedRun {
  readonly runId: string;
  readonly calibrationId: string;
  /** Evaluation on the EVAL fold. */
  readonly evaluation: Evaluation;
}

/**
 * Fits the lexical models on the FIT fold and certifies them for the same targets, as a baseline for the
 * demonstration's models. The calibrator is chosen by held-out loss, as by default in `calibrate fit`.
 */
export async function certifyBaseline(
  session: Session,
  context: DemonstrationContext,
  splitId: string,
): Promise<CertifiedRun> {
  const { seed, workers, target_risk, looser_targets, delta } = settings;
  const fitted = await fitLexicalModels(session, { splitId, seed, directory: context.workspace.models });
  const { runId } = await scoreRun(session, {
    splitId,
    retriever: { kind: "id", id: fitted.retriever },
    verifier: { kind: "id", id: fitted.verifier },
    workers,
    maxErrorShare: 0,
  });
  const { calibration, evaluation } = await fitThresholds(session, {
    runId,
    target_risk,
    looser_targets,
    delta,
    version: "lexical-baseline",
    attempts: "single",
  });
  return { runId, calibrationId: calibration.sha256, evaluation: evaluation.document };
}

/** The baseline on the EVAL fold, and the comparison of its decisions (A) with the bundle's (B). */
export interface BesideBaseline {
  readonly evaluation: Evaluation;
  readonly comparison: Comparison;
}

/** Compares the bundle with the baseline on the EVAL fold, and summarises the result in one line. */
export function besideBaseline(
  session: Session,
  { note }: DemonstrationContext,
  baseline: CertifiedRun,
  own: CertifiedRun,
): BesideBaseline {
  const sideOf = ({ runId, calibrationId }: CertifiedRun) => ({ run: runId, thresholds: { calibrationId } });
  const sides = { a: sideOf(baseline), b: sideOf(own) };
  const { comparison } = compareStoredRuns(session.history, { ...sides, fold: "eval", withTexts: false });
  if (comparison === null) throw new SluiceError("INTERNAL", "two calibrated runs were compared without thresholds");
  note(`compared  ${comparedInWords(comparison)}`);
  return { evaluation: baseline.evaluation, comparison };
}

const verdicts = {
  a_better: "the lexical models are better",
  b_better: "better",
  tied: "tied",
  not_shown: "no difference shown",
} as const;

function comparedInWords({ measures }: Comparison): string {
  return measures
    .filter(({ name }) => name === "coverage" || name === "selective_risk")
    .map(({ name, a, b, verdict }) => {
      return `${name.replace("_", " ")} ${b.k} of ${b.n}, lexical ${a.k} of ${a.n}: ${verdicts[verdict]}`;
    })
    .join("; ");
}
