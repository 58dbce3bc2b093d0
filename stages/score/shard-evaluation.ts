import { join } from "node:path";
import type { ShardPart } from "../../eval/shard-file.js";
import { evaluateRun } from "../evaluate.js";
import { mergeRun, scoreShard, type WrittenShard } from "./score-shard.js";
import { readPolicyFile } from "../../store/read-policy.js";
import { withHistory } from "../../store/records/with-history.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { EvaluatedRun, RunEvaluationOptions } from "../score.js";

/** What to score, and which part of it. */
export interface EvaluateShardOptions extends Omit<RunEvaluationOptions, "maxErrorShare" | "queue"> {
  readonly part: ShardPart;
  /** Folder of the shard file. Default: `shards` in the workspace. */
  readonly folder?: string | undefined;
}

/**
 * Scores one shard of a run and writes it as a file, named by the digest of its inputs. `mergeEvaluation` puts the
 * shards together.
 *
 * @example await evaluateShard(workbench, { part: { shard: 3, shards: 16 }, folder: "shards" });
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID, INTERRUPTED, WRITE_FAILED
 */
export async function evaluateShard(workbench: WorkbenchContext, options: EvaluateShardOptions): Promise<WrittenShard> {
  return withHistory(workbench, "write", async (session) => {
    const { split, retriever, verifier, policyFile, workers = 2, part, folder } = options;
    return scoreShard(session, {
      ...(split === undefined ? {} : { splitId: split }),
      retriever,
      verifier,
      policy: policyFile === undefined ? undefined : await readPolicyFile(policyFile),
      workers: Math.max(1, workers),
      part,
      folder: folder ?? join(workbench.workspace.directory, "shards"),
    });
  });
}

/** The shards of one run. */
export interface MergeEvaluationOptions
  extends Pick<RunEvaluationOptions, "retriever" | "verifier" | "policyFile" | "maxErrorShare"> {
  readonly files: readonly string[];
}

/** A run that was put together, and its EVAL fold without thresholds. */
export interface MergedEvaluation extends Omit<EvaluatedRun, "scoresOf" | "milliseconds"> {
  readonly shards: number;
}

/**
 * Checks that shard files are one whole run, and saves it: the very bytes of a run scored by one process.
 *
 * @example const { runId } = await mergeEvaluation(workbench, { files });
 * @throws {SluiceError} SHARDS_INCOMPLETE, RECORD_NOT_FOUND, SCORING_ERRORS  too many requests failed
 */
export async function mergeEvaluation(
  workbench: WorkbenchContext,
  { files, retriever, verifier, policyFile, maxErrorShare = 0.01 }: MergeEvaluationOptions,
): Promise<MergedEvaluation> {
  return withHistory(workbench, "write", async (session) => {
    const policy = policyFile === undefined ? undefined : await readPolicyFile(policyFile);
    const merged = await mergeRun(session, { files, retriever, verifier, policy, maxErrorShare });
    const { sha256, document } = evaluateRun(session, { runId: merged.runId, fold: "eval" });
    return { ...merged, evaluationId: sha256, evaluation: document };
  });
}
