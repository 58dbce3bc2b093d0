import type { Comparison } from "../../eval/compare.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { SluiceError } from "../../src/base/error.js";
import type { DemonstrationContext } from "./demonstration-context.js";
import { compareStoredRuns } from "../compare/compare-runs.js";
import { fitLexicalModels } from "../models/fit-models.js";
import { fitThresholds } from "../fit/fit-thresholds.js";
import { scoreRun } from "../score/score-run.js";
import type { Session } from "../../store/records/session.js";
import { quickstartSettings as settings } from "./settings.js";

/** A pair of models with its thresholds. */
export interface CertifiedRun {
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

/** Compares on the EVAL fold, and says in a line how the bundle does. */
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
