import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import {
  evaluateShardOptions,
  measureOptions,
  mergeOptions,
  runEvaluationOptions,
  type workerOptions,
  workForQueueOptions,
} from "./options/eval.js";
import { givenOnly } from "./choices.js";
import { readProject } from "../store/project/project-file.js";
import type { QueueSettings } from "../store/project/queue-settings.js";
import type { Sha256 } from "../src/base/sha256.js";
import { SluiceError } from "../src/base/error.js";
import type { GateOutcome } from "../eval/gates/apply-gate.js";
import { holdGates, type HoldGatesOptions, readGates } from "./evaluate/hold-gates.js";
import { type Session, withHistory } from "../store/records/session.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import type { ModelRecord } from "../store/records/model-record.js";
import type { ShippedModels } from "../src/documents/choices.js";
import { evaluateRun, evaluateWithProgress } from "./evaluate.js";
import { calibrationOf, measurableRun, thresholdsFor, whyUndecided } from "./evaluate/measurable-run.js";
import { type ScoredRun, scoreRun } from "./score/score-run.js";
import { scoreRunOverQueue } from "./score/queue/score-over-queue.js";
import { readPolicyFile } from "../store/read-policy.js";
import type { Reference } from "../store/records/read-records.js";
import { requireNote, runNotes, saveRunNote } from "../store/records/run-note.js";
import { shippedFolder } from "../store/shipped-models.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { workOnQueue } from "./score/queue/work-on-queue.js";
import { createWorkspace } from "../store/workspace.js";
import { claimCountNote } from "../reports/judge-release.js";
import { describeKinds } from "../reports/text/calibration-text.js";
import { join } from "node:path";
import { mergeRun, scoreShard, type WrittenShard } from "./score/score-shard.js";

export type RunEvaluationOptions = OptionsOf<typeof runEvaluationOptions>;

/** A saved run, and the evaluation of its EVAL fold without thresholds. */
export interface EvaluatedRun extends ScoredRun {
  readonly evaluation_id: string;
  readonly evaluation: Evaluation;
  readonly gates: readonly GateOutcome[];
}

/** The shipped model of a role, for `runEvaluation`. @param models  `fast` is faster and less accurate */
export function shippedModel(role: ModelRecord["role"], models: ShippedModels = "default"): Reference {
  return { kind: "file", path: shippedFolder(models, role) };
}

/**
 * Scores every request of a split once, with the serving code, and saves the run. An interrupted run resumes where it
 * stopped; equal inputs give the same run.
 *
 * @example const { run, evaluation } = await runEvaluation(workbench, { retriever: shippedModel("retriever"),
 *   verifier: shippedModel("verifier"), });
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID, INTERRUPTED, SCORING_ERRORS  too many requests failed;
 *   USAGE  an invalid gate, or a gate without its baseline
 */
export async function runEvaluation(
  workbench: WorkbenchContext,
  options: RunEvaluationOptions = {},
): Promise<EvaluatedRun> {
  const given = resolveOptions("runEvaluation", runEvaluationOptions, options);
  const rules = readGates(given);
  requireNote(given.note);
  return withHistory(workbench, "write", async (session) => {
    const { split, retriever, verifier, workers, maxErrors, shards, jobTimeout } = given;
    const asked = {
      splitId: split,
      retriever,
      verifier,
      policy: await policyOf(given.policy),
      maxErrorShare: maxErrors,
    };
    const settings = queueOf(given);
    const { onNote = () => undefined } = given;
    const scored =
      settings === null
        ? await scoreRun(session, { ...asked, workers: Math.max(1, workers) })
        : await scoreRunOverQueue(session, { ...asked, settings, shards, timeoutSeconds: jobTimeout, onNote });
    return { ...scored, ...measureSaved(session, scored.run, rules, given) };
  });
}

const policyOf = async (file: string | undefined) => (file === undefined ? undefined : readPolicyFile(file));

type QueueOptions = Omit<ValuesOf<typeof workerOptions>, "concurrency" | "workers">;

/** The settings of the queue as a project file has them; null without a queue. */
function queueOf(given: QueueOptions & { readonly shipTexts?: boolean }): QueueSettings | null {
  const { queue, queueCredentials, queueCa, queueKey, queuePrefix, inputs, inputsCredentials, shipTexts } = given;
  if (queue === undefined) return null;
  return {
    url: queue,
    prefix: queuePrefix,
    ...givenOnly({
      credentials: queueCredentials,
      ca: queueCa,
      key: queueKey,
      inputs,
      inputs_credentials: inputsCredentials,
      ship_texts: shipTexts,
    }),
  };
}

/** Names a saved run, evaluates its EVAL fold without thresholds, and checks its gates. */
function measureSaved(
  session: Session,
  runId: Sha256,
  rules: HoldGatesOptions["gates"],
  { baseline, note }: Pick<ValuesOf<typeof runEvaluationOptions>, "baseline" | "note">,
): Pick<EvaluatedRun, "evaluation_id" | "evaluation" | "gates"> {
  saveRunNote(session, runId, note);
  const { sha256, document } = evaluateRun(session, { runId, fold: "eval" });
  const gates = holdGates(session.history, { gates: rules, runId, fold: "eval", baseline });
  return { evaluation_id: sha256, evaluation: document, gates };
}

export type MeasureRunOptions = OptionsOf<typeof measureOptions>;

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

/**
 * Computes every metric of one fold of a run from its stored records. Saves nothing.
 *
 * @example const { evaluation } = await measureRun(workbench, { fold: "all" });
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, CALIBRATION_INVALID  the calibration has different
 *   identities; USAGE  an invalid gate, or a gate without its baseline
 */
export async function measureRun(workbench: WorkbenchContext, options: MeasureRunOptions = {}): Promise<MeasuredRun> {
  const given = resolveOptions("measureRun", measureOptions, options);
  const gates = readGates(given);
  return withHistory(workbench, "read", async (session) => {
    const { history } = session;
    const { uncalibrated, fold, baseline } = given;
    const run = measurableRun(history, given.run);
    const choice = { calibrationId: given.calibration, threshold: given.minConfidence };
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
      gates: holdGates(history, { gates, runId: run.sha256, thresholds: choice, fold, baseline }),
    };
  });
}

export type WorkForQueueOptions = OptionsOf<typeof workForQueueOptions>;

/**
 * Scores shards of a queue until the signal of the workbench is aborted. Inputs are fetched once per run and verified
 * by their digests. Shards in progress are then returned to the queue.
 *
 * @example await workForQueue(workbench, { queue: "redis://queue:6379", inputs: "/shared" });
 * @returns  the number of scored shards
 * @throws {SluiceError} SERVER_UNREACHABLE, PACKAGE_MISSING, USAGE
 */
export async function workForQueue(workbench: WorkbenchContext, options: WorkForQueueOptions): Promise<number> {
  const given = resolveOptions("workForQueue", workForQueueOptions, options);
  const { concurrency, workers, onShard = () => undefined } = given;
  const settings = queueOf(given) ?? (await queueOfProject(given.project));
  given.onStart?.();
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

export type EvaluateShardOptions = OptionsOf<typeof evaluateShardOptions>;

/**
 * Scores one shard of a run and writes it to a file named after the digest of its inputs. `mergeEvaluation` merges the
 * shards.
 *
 * @example await evaluateShard(workbench, { shard: { shard: 3, shards: 16 }, shardFolder: "shards" });
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID, INTERRUPTED, WRITE_FAILED
 */
export async function evaluateShard(workbench: WorkbenchContext, options: EvaluateShardOptions): Promise<WrittenShard> {
  const given = resolveOptions("evaluateShard", evaluateShardOptions, options);
  return withHistory(workbench, "write", async (session) => {
    const { split, retriever, verifier, policy, workers, shard, queueKey } = given;
    return scoreShard(session, {
      splitId: split,
      retriever,
      verifier,
      policy: await policyOf(policy),
      workers: Math.max(1, workers),
      part: shard,
      keyFile: queueKey,
      folder: given.shardFolder ?? shardsFolder(workbench),
    });
  });
}

const shardsFolder = ({ workspace }: WorkbenchContext): string => join(workspace.directory, "shards");

export type MergeEvaluationOptions = OptionsOf<typeof mergeOptions>;

/** A merged run, and the evaluation of its EVAL fold without thresholds. */
export interface MergedEvaluation extends Omit<EvaluatedRun, "scores_of" | "milliseconds"> {
  readonly shards: number;
}

/**
 * Checks that shard files form a complete run and saves it, byte-identical to a run scored by one process.
 *
 * @example const { run } = await mergeEvaluation(workbench, { files });
 * @throws {SluiceError} SHARDS_INCOMPLETE, RECORD_NOT_FOUND, SCORING_ERRORS  too many requests failed;
 *   USAGE  an invalid gate, or a gate without its baseline
 */
export async function mergeEvaluation(
  workbench: WorkbenchContext,
  options: MergeEvaluationOptions,
): Promise<MergedEvaluation> {
  const given = resolveOptions("mergeEvaluation", mergeOptions, options);
  const { files, queueKey: keyFile, retriever, verifier, maxErrors: maxErrorShare } = given;
  const rules = readGates(given);
  requireNote(given.note);
  const named = files.length === 0 ? [shardsFolder(workbench)] : files;
  return withHistory(workbench, "write", async (session) => {
    const policy = await policyOf(given.policy);
    const merged = await mergeRun(session, { files: named, keyFile, retriever, verifier, policy, maxErrorShare });
    return { ...merged, ...measureSaved(session, merged.run, rules, given) };
  });
}
