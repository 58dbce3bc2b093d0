import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { fitThresholds } from "../fit/fit-thresholds.js";
import { saveSplit, type SaveSplitOptions } from "../import/save-dataset.js";
import { scoreRun } from "../score/score-run.js";
import { shortId } from "../../src/base/text.js";
import type { Session } from "../../store/records/session.js";
import { quickstartSettings as settings } from "./settings.js";

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
  const { split: splitId } = await saveSplit(session, { ...byWorkflow, by: "request", keptFit: folds.fit.clusters });
  const { retriever, verifier, workers } = settings;
  const { run: runId } = await scoreRun(session, {
    splitId,
    retriever: { kind: "file", path: retriever },
    verifier: { kind: "file", path: verifier },
    workers,
    maxErrorShare: 0,
  });
  return runId;
}

/**
 * Certifies the claim about this catalog, on the workflows outside the FIT fold. Requests for other workflows are
 * declined.
 */
export async function certifyThisCatalog(session: Session, runId: string): Promise<Claimed> {
  const { delta, catalogClaim } = settings;
  const version = `demonstration-catalog-${shortId(runId)}`;
  const fitted = await fitThresholds(session, { run: runId, ...catalogClaim, claim: "fixed-catalog", delta, version });
  return { calibration: fitted.calibration.document, evaluation: fitted.evaluation.document };
}
