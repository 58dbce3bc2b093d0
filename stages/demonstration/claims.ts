import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { fitThresholds } from "../fit/fit-thresholds.js";
import { saveSplit, type SaveSplitOptions } from "../import/save-dataset.js";
import { scoreRun } from "../score/score-run.js";
import { shortId } from "../../src/base/text.js";
import type { Session } from "../../store/records/session.js";
import { type DemonstrationContext, quickstartSettings as settings } from "./settings.js";
import type { Comparison } from "../../eval/compare.js";
import { SluiceError } from "../../src/base/error.js";
import { compareStoredRuns } from "../compare/compare-runs.js";
import { fitLexicalModels } from "../models/fit-models.js";

/** A claim with the EVAL fold that it is compared with. */
export interface Claimed {
  readonly calibration: Calibration;
  readonly evaluation: Evaluation;
}

/**
 * Scores the requests, divided by request among the workflows outside of the FIT fold, for a claim about this catalog
 * over the same models. Made before the run that is served, so that the latest records are the bundle's; that run
 * reuses these scores.
 *
 * @param byWorkflow  the split that is served: its FIT fold stays FIT
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

/** The claim about this catalog: it is certified on each workflow outside the FIT fold, and requests to any other are declined. */
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
  /** The EVAL fold. */
  readonly evaluation: Evaluation;
}

/**
 * The lexical pair, fitted on the FIT fold and certified for the same targets: what the demonstration's models are
 * compared with. Its calibrator is chosen by held-out loss, as in `calibrate fit` by default.
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

/** The baseline on the EVAL fold, and its decisions (A) paired by request with those of the bundle (B). */
export interface BesideBaseline {
  readonly evaluation: Evaluation;
  readonly comparison: Comparison;
}

/** Compares on the EVAL fold, and summarises in one line how well the bundle does. */
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
