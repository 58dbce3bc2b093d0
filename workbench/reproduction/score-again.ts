import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTestedIn, scoresLeftOut } from "../../datasets/left-out-splits.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import type { Background } from "../../calibrate/background-rows.js";
import type { FitOptions } from "../../src/domain/calibration.js";
import type { Run, ScoredRecord } from "../../src/domain/scored-record.js";
import { familyOfRows, removedWorkflows } from "../../src/domain/split.js";
import { readBackground } from "../calibration/background-source.js";
import { scoreBackground } from "../calibration/score-background.js";
import { scoreOverRun } from "../evaluation/score-over-run.js";
import { getBlob } from "../history/read.js";
import { type Kept, readDataset, readSplit } from "../records/read-records.js";
import type { Stage } from "../records/stage.js";

/** What is derived by scoring again. */
export interface ScoredAgain {
  readonly records: readonly ScoredRecord[];
  readonly background: Background | undefined;
}

/**
 * Scores the dataset of a run, and the background that a fit names, again with the models of the run. Neither the stored
 * scores nor the embedding cache of the workspace is read.
 */
export async function scoreAgain(
  { context, ...stage }: Stage,
  run: Kept<Run>,
  { workers, background: named }: { readonly workers: number; readonly background: FitOptions["background"] },
): Promise<ScoredAgain> {
  const { history } = stage;
  const split = readSplit(history, run.document.splitSha256).document;
  const vectors = await mkdtemp(join(tmpdir(), "sluice-reproduce-"));
  const apart = { ...stage, context: { ...context, workspace: { ...context.workspace, vectors } } };
  try {
    const records = await scoreOverRun(apart, run, {
      workers,
      rows: readDataset(history, run.document.datasetSha256).document,
      foldOf: foldOf(split),
      familyOf: familyOfRows(split),
      ...(scoresLeftOut(split) ? { leftOut: isTestedIn(split) } : {}),
      removedWorkflows: removedWorkflows(split),
    });
    if (named === undefined) return { records, background: undefined };
    const requests = readBackground(getBlob(history, named.requestsSha256), "background requests");
    return { records, background: (await scoreBackground(apart, run, { requests, workers })).background };
  } finally {
    await rm(vectors, { recursive: true, force: true });
  }
}
