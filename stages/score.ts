import type { Evaluation } from "../src/documents/evaluation.js";
import type { ModelRecord } from "../store/records/model-record.js";
import type { Fold } from "../src/documents/choices.js";
import { evaluateRun, evaluateWithProgress } from "./evaluate.js";
import { measurableRun, thresholdsFor, whyUndecided } from "./evaluate/measurable-run.js";
import { type ScoredRun, scoreRun } from "./score/score-run.js";
import { type RunOverQueueOptions, scoreRunOverQueue } from "./score/queue/run-over-queue.js";
import { readPolicyFile } from "../store/read-policy.js";
import type { Reference } from "../store/records/reference.js";
import { withHistory } from "../store/records/with-history.js";
import { shippedFolder } from "../store/shipped-models.js";
import { type ShippedModels } from "../src/documents/choices.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** What to score, with which models. */
export interface RunEvaluationOptions {
  /** Id of the split or its beginning. Default: the latest. */
  readonly split?: string | undefined;
  /** A model of the history, or a model directory. Default: the latest of its role in the history. */
  readonly retriever?: Reference | undefined;
  readonly verifier?: Reference | undefined;
  /** Routing policy, a YAML or JSON file. Default: the default policy. */
  readonly policyFile?: string | undefined;
  /** Inference threads, at least 1. Default 2. */
  readonly workers?: number;
  /** Share of requests whose scoring may fail, in [0, 1]. Default 0.01. */
  readonly maxErrorShare?: number;
  /** Has the workers of a queue score, instead of this process. */
  readonly queue?: EvaluationQueue | undefined;
}

/** A queue, and into how many shards the run is divided. */
export interface EvaluationQueue extends Pick<RunOverQueueOptions, "settings" | "shards" | "timeoutSeconds"> {
  /** Receives messages for people, for example that no worker listens or Redis is gone. Default: none. */
  readonly onNote?: (line: string) => void;
}

/** A run on record, and its EVAL fold without thresholds. */
export interface EvaluatedRun extends ScoredRun {
  readonly evaluationId: string;
  readonly evaluation: Evaluation;
}

/** The model of a role that Sluice ships, for `runEvaluation`. @param models  `fast` is faster and less accurate */
export function shippedModel(role: ModelRecord["role"], models: ShippedModels = "default"): Reference {
  return { kind: "file", path: shippedFolder(models, role) };
}

/**
 * Scores every request of a split once, with the serving code, and saves the run. An interrupted run resumes where it
 * stopped; the same inputs give the same run.
 *
 * @example const { runId, evaluation } = await runEvaluation(workbench, { retriever: shippedModel("retriever"),
 *   verifier: shippedModel("verifier"), });
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID, INTERRUPTED, SCORING_ERRORS  too many requests failed
 */
export async function runEvaluation(
  workbench: WorkbenchContext,
  options: RunEvaluationOptions = {},
): Promise<EvaluatedRun> {
  return withHistory(workbench, "write", async (session) => {
    const { split, retriever, verifier, policyFile, workers = 2, maxErrorShare = 0.01, queue } = options;
    const asked = {
      ...(split === undefined ? {} : { splitId: split }),
      retriever,
      verifier,
      policy: policyFile === undefined ? undefined : await readPolicyFile(policyFile),
      maxErrorShare,
    };
    const scored =
      queue === undefined
        ? await scoreRun(session, { ...asked, workers: Math.max(1, workers) })
        : await scoreRunOverQueue(session, { ...asked, onNote: () => undefined, ...queue });
    const { sha256, document } = evaluateRun(session, { runId: scored.runId, fold: "eval" });
    return { ...scored, evaluationId: sha256, evaluation: document };
  });
}

/** The run to measure, and its thresholds. */
export interface MeasureRunOptions {
  /** Id of the run or its beginning. Default: the latest. */
  readonly run?: string | undefined;
  /** Calibration whose thresholds apply. Default: the latest calibration that applies to the run. */
  readonly calibration?: string | undefined;
  /** One confidence for every tier instead of a calibration, in [0, 1]. */
  readonly minConfidence?: number | undefined;
  /** Uses no calibration at all: no decisions, the verifier's own confidence. Default false. */
  readonly uncalibrated?: boolean;
  /** Default "eval". */
  readonly fold?: Fold | "all";
}

/** Every metric of one fold of a run, with intervals. */
export interface MeasuredRun {
  readonly runId: string;
  /** The predictions were imported. */
  readonly imported: boolean;
  readonly evaluation: Evaluation;
  /** Why no thresholds decide although a calibration exists; null otherwise. */
  readonly undecided: string | null;
}

/**
 * Computes every metric of one fold of a run from its stored records. Saves nothing.
 *
 * @example const { evaluation } = await measureRun(workbench, { fold: "all" });
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, CALIBRATION_INVALID  the calibration is of other identities
 */
export async function measureRun(workbench: WorkbenchContext, options: MeasureRunOptions = {}): Promise<MeasuredRun> {
  return withHistory(workbench, "read", async (session) => {
    const { history } = session;
    const { uncalibrated = false, fold = "eval" } = options;
    const run = measurableRun(history, options.run);
    const choice = { calibrationId: options.calibration, threshold: options.minConfidence };
    const calibration = uncalibrated ? null : thresholdsFor(history, run, choice);
    return {
      runId: run.sha256,
      imported: run.document.kind === "imported",
      evaluation: evaluateWithProgress(session, run, { fold, calibration }),
      undecided: calibration === null && !uncalibrated ? whyUndecided(history, run) : null,
    };
  });
}
