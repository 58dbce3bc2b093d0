import { defaultWorkers } from "./choices.js";
import { optionsOf, requireOptions } from "./checked-options.js";
import { readProject } from "../store/project/project-file.js";
import type { QueueSettings } from "../store/project/queue-settings.js";
import type { Sha256 } from "../src/base/sha256.js";
import { SluiceError } from "../src/base/error.js";
import type { GateOutcome } from "../eval/gates/apply-gate.js";
import { type GateChoice, holdGates, type HoldGatesOptions, readGates } from "./evaluate/hold-gates.js";
import { type Session, withHistory } from "../store/records/session.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import type { ModelRecord } from "../store/records/model-record.js";
import type { Fold, ShippedModels } from "../src/documents/choices.js";
import { evaluateRun, evaluateWithProgress } from "./evaluate.js";
import { calibrationOf, measurableRun, thresholdsFor, whyUndecided } from "./evaluate/measurable-run.js";
import { type ScoredRun, scoreRun } from "./score/score-run.js";
import { type RunOverQueueOptions, scoreRunOverQueue } from "./score/queue/score-over-queue.js";
import { readPolicyFile } from "../store/read-policy.js";
import type { Reference } from "../store/records/read-records.js";
import { requireNote, runNotes, saveRunNote } from "../store/records/run-note.js";
import { shippedFolder } from "../store/shipped-models.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { type WorkedShard, workOnQueue } from "./score/queue/work-on-queue.js";
import { createWorkspace } from "../store/workspace.js";
import { claimCountNote } from "../reports/judge-release.js";
import { describeKinds } from "../reports/text/calibration-text.js";
import { join } from "node:path";
import type { ShardPart } from "../eval/shard-file.js";
import { mergeRun, scoreShard, type WrittenShard } from "./score/score-shard.js";

/** Split and models of a run. */
export interface RunEvaluationOptions extends GateChoice {
  /** Split id or its beginning. Default: the latest. */
  readonly split?: string | undefined;
  /** A model in the history, or a model directory. Default: the latest of its role in the history. */
  readonly retriever?: Reference | undefined;
  readonly verifier?: Reference | undefined;
  /** YAML or JSON file of the routing policy. Default: the default policy. */
  readonly policyFile?: string | undefined;
  /** Inference threads, at least 1. Default 2. */
  readonly workers?: number;
  /** Share of requests whose scoring may fail, in [0, 1]. Default 0.01. */
  readonly maxErrorShare?: number;
  /** Lets the workers of a queue score, instead of this process. */
  readonly queue?: EvaluationQueue | undefined;
  /** What the run is called in lists and comparisons: one line of at most 80 characters. Default: as before, or nothing. */
  readonly note?: string | undefined;
}

/** A queue, and the number of shards of the run. */
export interface EvaluationQueue extends Pick<RunOverQueueOptions, "settings" | "shards" | "timeoutSeconds"> {
  /** Receives messages for the user, for example that no worker is connected or Redis is unavailable. Default: none. */
  readonly onNote?: (line: string) => void;
}

/** A saved run, and the evaluation of its EVAL fold without thresholds. */
export interface EvaluatedRun extends ScoredRun {
  readonly evaluationId: string;
  readonly evaluation: Evaluation;
  readonly gates: readonly GateOutcome[];
}

/** The shipped model of a role, for `runEvaluation`. @param models  `fast` is faster and less accurate */
export function shippedModel(role: ModelRecord["role"], models: ShippedModels = "default"): Reference {
  return { kind: "file", path: shippedFolder(models, role) };
}

const runEvaluationOptions = optionsOf<RunEvaluationOptions>()({
  string: ["split", "policyFile", "baseline", "note"],
  object: ["retriever", "verifier", "queue"],
  number: ["workers", "maxErrorShare"],
  list: ["gates"],
});

/**
 * Scores every request of a split once, with the serving code, and saves the run. An interrupted run resumes where it
 * stopped; equal inputs give the same run.
 *
 * @example const { runId, evaluation } = await runEvaluation(workbench, { retriever: shippedModel("retriever"),
 *   verifier: shippedModel("verifier"), });
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID, INTERRUPTED, SCORING_ERRORS  too many requests failed;
 *   USAGE  an invalid gate, or a gate without its baseline
 */
export async function runEvaluation(
  workbench: WorkbenchContext,
  options: RunEvaluationOptions = {},
): Promise<EvaluatedRun> {
  requireOptions("runEvaluation", options, runEvaluationOptions);
  const rules = readGates(options);
  requireNote(options.note);
  return withHistory(workbench, "write", async (session) => {
    const { split, retriever, verifier, policyFile, workers = defaultWorkers, maxErrorShare = 0.01, queue } = options;
    const asked = {
      splitId: split,
      retriever,
      verifier,
      policy: policyFile === undefined ? undefined : await readPolicyFile(policyFile),
      maxErrorShare,
    };
    const scored =
      queue === undefined
        ? await scoreRun(session, { ...asked, workers: Math.max(1, workers) })
        : await scoreRunOverQueue(session, { ...asked, onNote: () => undefined, ...queue });
    return { ...scored, ...measureSaved(session, scored.runId, rules, options) };
  });
}

/** Names a saved run, evaluates its EVAL fold without thresholds, and checks its gates. */
function measureSaved(
  session: Session,
  runId: Sha256,
  rules: HoldGatesOptions["gates"],
  { baseline, note }: Pick<RunEvaluationOptions, "baseline" | "note">,
): Pick<EvaluatedRun, "evaluationId" | "evaluation" | "gates"> {
  saveRunNote(session, runId, note);
  const { sha256, document } = evaluateRun(session, { runId, fold: "eval" });
  const gates = holdGates(session.history, { gates: rules, runId, fold: "eval", baseline });
  return { evaluationId: sha256, evaluation: document, gates };
}

/** The run to measure, and its thresholds. */
export interface MeasureRunOptions extends GateChoice {
  /** Run id or its beginning. Default: the latest. */
  readonly run?: string | undefined;
  /** Calibration whose thresholds apply. Default: the latest calibration that applies to the run. */
  readonly calibration?: string | undefined;
  /** Confidence threshold in [0, 1] for every tier, instead of a calibration. */
  readonly minConfidence?: number | undefined;
  /** Whether to use no calibration: no decisions, and the verifier's probability as confidence. Default false. */
  readonly uncalibrated?: boolean;
  /** Fold to measure. Default "eval". */
  readonly fold?: Fold | "all";
}

/** Every metric of one fold of a run, with intervals. */
export interface MeasuredRun {
  readonly runId: string;
  /** What the run is called; null without a note. */
  readonly note: string | null;
  /** Whether the predictions were imported. */
  readonly imported: boolean;
  readonly evaluation: Evaluation;
  /** Why no calibration applies although one exists; otherwise null. */
  readonly undecided: string | null;
  /** Why the claim counts these requests differently; empty if it does not. */
  readonly claimNote: string;
  /** Requests that stand alone, follow-ups, and texts of two wishes, as the calibration counts them; empty without follow-ups. */
  readonly kinds: readonly string[];
  readonly gates: readonly GateOutcome[];
}

const measureRunOptions = optionsOf<MeasureRunOptions>()({
  string: ["run", "calibration", "fold", "baseline"],
  number: ["minConfidence"],
  boolean: ["uncalibrated"],
  list: ["gates"],
});

/**
 * Computes every metric of one fold of a run from its stored records. Saves nothing.
 *
 * @example const { evaluation } = await measureRun(workbench, { fold: "all" });
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, CALIBRATION_INVALID  the calibration has different
 *   identities; USAGE  an invalid gate, or a gate without its baseline
 */
export async function measureRun(workbench: WorkbenchContext, options: MeasureRunOptions = {}): Promise<MeasuredRun> {
  requireOptions("measureRun", options, measureRunOptions);
  const gates = readGates(options);
  return withHistory(workbench, "read", async (session) => {
    const { history } = session;
    const { uncalibrated = false, fold = "eval" } = options;
    const run = measurableRun(history, options.run);
    const choice = { calibrationId: options.calibration, threshold: options.minConfidence };
    const calibration = uncalibrated ? null : thresholdsFor(history, run, choice);
    const evaluation = evaluateWithProgress(session, run, { fold, calibration });
    const fitted = calibrationOf(history, calibration, choice);
    return {
      runId: run.sha256,
      note: runNotes(history).get(run.sha256) ?? null,
      imported: run.document.kind === "imported",
      evaluation,
      claimNote: fitted === null ? "" : claimCountNote(fitted, evaluation),
      kinds: fitted === null ? [] : describeKinds(fitted),
      undecided: calibration === null && !uncalibrated ? whyUndecided(history, run) : null,
      gates: holdGates(history, { gates, runId: run.sha256, thresholds: choice, fold, baseline: options.baseline }),
    };
  });
}

/** Queue to work on, and the concurrency. */
export interface WorkForQueueOptions {
  /** Queue settings. Default: the queue of `project`. */
  readonly settings?: QueueSettings | undefined;
  /** Project file. Default: none. */
  readonly project?: string | undefined;
  /** Number of shards scored at once. Default 1. */
  readonly concurrency?: number;
  /** Inference threads, at least 1. Default 2. */
  readonly workers?: number;
  /** Called once the queue is known. Default: not called. */
  readonly onStart?: () => void;
  /** Called after each shard. Default: not called. */
  readonly onShard?: (shard: WorkedShard) => void;
}

const workForQueueOptions = optionsOf<WorkForQueueOptions>()({
  object: ["settings"],
  string: ["project"],
  number: ["concurrency", "workers"],
  function: ["onStart", "onShard"],
});

/**
 * Scores shards of a queue until the signal of the workbench is aborted. Inputs are fetched once per run and verified
 * by their digests. Shards in progress are then returned to the queue.
 *
 * @example await workForQueue(workbench, { settings: { url: "redis://queue:6379", inputs: "/shared" } });
 * @returns  the number of scored shards
 * @throws {SluiceError} SERVER_UNREACHABLE, PACKAGE_MISSING, USAGE
 */
export async function workForQueue(workbench: WorkbenchContext, options: WorkForQueueOptions): Promise<number> {
  requireOptions("workForQueue", options, workForQueueOptions);
  const { concurrency = 1, workers = defaultWorkers, onShard = () => undefined } = options;
  const settings = options.settings ?? (await queueOfProject(options.project));
  options.onStart?.();
  await createWorkspace(workbench.workspace);
  return workOnQueue(workbench, {
    settings,
    concurrency: Math.max(1, concurrency),
    workers: Math.max(1, workers),
    onShard,
  });
}

async function queueOfProject(project: string | undefined): Promise<QueueSettings> {
  const found = project === undefined ? undefined : (await readProject(project)).queue;
  if (found !== undefined) return found;
  throw new SluiceError("USAGE", "no queue: neither --queue nor sluice.yaml names one", {
    hint: "Add --queue redis://HOST:PORT.",
  });
}

/** Data to score, and the part of it. */
export interface EvaluateShardOptions
  extends Omit<RunEvaluationOptions, "maxErrorShare" | "queue" | "note" | keyof GateChoice> {
  readonly part: ShardPart;
  /** Folder of the shard file. Default: `shards` in the workspace. */
  readonly folder?: string | undefined;
  /** File of the key that authenticates the shard; created if missing. Default: in the workspace. */
  readonly keyFile?: string | undefined;
}

const evaluateShardOptions = optionsOf<EvaluateShardOptions>()({
  object: ["part", "retriever", "verifier"],
  string: ["folder", "keyFile", "split", "policyFile"],
  number: ["workers"],
});

/**
 * Scores one shard of a run and writes it to a file named after the digest of its inputs. `mergeEvaluation` merges the
 * shards.
 *
 * @example await evaluateShard(workbench, { part: { shard: 3, shards: 16 }, folder: "shards" });
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID, INTERRUPTED, WRITE_FAILED
 */
export async function evaluateShard(workbench: WorkbenchContext, options: EvaluateShardOptions): Promise<WrittenShard> {
  requireOptions("evaluateShard", options, evaluateShardOptions);
  return withHistory(workbench, "write", async (session) => {
    const { split, retriever, verifier, policyFile, workers = defaultWorkers, part, folder, keyFile } = options;
    return scoreShard(session, {
      splitId: split,
      retriever,
      verifier,
      policy: policyFile === undefined ? undefined : await readPolicyFile(policyFile),
      workers: Math.max(1, workers),
      part,
      keyFile,
      folder: folder ?? join(workbench.workspace.directory, "shards"),
    });
  });
}

/** The shards of one run. */
export interface MergeEvaluationOptions
  extends Pick<
    RunEvaluationOptions,
    "retriever" | "verifier" | "policyFile" | "maxErrorShare" | "note" | keyof GateChoice
  > {
  readonly files: readonly string[];
  /** File of the key that the shards were scored with. Default: in the workspace. */
  readonly keyFile?: string | undefined;
}

/** A merged run, and the evaluation of its EVAL fold without thresholds. */
export interface MergedEvaluation extends Omit<EvaluatedRun, "scoresOf" | "milliseconds"> {
  readonly shards: number;
}

const mergeEvaluationOptions = optionsOf<MergeEvaluationOptions>()({
  list: ["files", "gates"],
  object: ["retriever", "verifier"],
  number: ["maxErrorShare"],
  string: ["baseline", "keyFile", "policyFile", "note"],
});

/**
 * Checks that shard files form a complete run and saves it, byte-identical to a run scored by one process.
 *
 * @example const { runId } = await mergeEvaluation(workbench, { files });
 * @throws {SluiceError} SHARDS_INCOMPLETE, RECORD_NOT_FOUND, SCORING_ERRORS  too many requests failed;
 *   USAGE  an invalid gate, or a gate without its baseline
 */
export async function mergeEvaluation(
  workbench: WorkbenchContext,
  options: MergeEvaluationOptions,
): Promise<MergedEvaluation> {
  requireOptions("mergeEvaluation", options, mergeEvaluationOptions);
  const { files, keyFile, retriever, verifier, policyFile, maxErrorShare = 0.01, ...choice } = options;
  const rules = readGates(choice);
  requireNote(choice.note);
  return withHistory(workbench, "write", async (session) => {
    const policy = policyFile === undefined ? undefined : await readPolicyFile(policyFile);
    const merged = await mergeRun(session, { files, keyFile, retriever, verifier, policy, maxErrorShare });
    return { ...merged, ...measureSaved(session, merged.runId, rules, choice) };
  });
}
