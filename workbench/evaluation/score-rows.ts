import { type ScoreOptions, scoreDataset } from "../../eval/score-dataset.js";
import type { LeftOutPart } from "../../datasets/left-out.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { RoutingPolicy } from "../../src/domain/policy.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { embeddingCacheFolder } from "./embedding-cache-file.js";
import { CandidateScorer } from "../../src/routing/candidate-scorer.js";
import { loadModels, type ModelSources } from "../../src/routing/load-models.js";
import { type StepProgress, stepOf } from "../step-progress.js";
import type { WorkbenchContext } from "../workbench-context.js";

export interface ScoreRowsOptions
  extends Pick<ScoreOptions, "rows" | "foldOf">,
    Partial<Pick<ScoreOptions, "familyOf" | "removedWorkflows" | "resume">> {
  readonly catalog: Catalog;
  readonly policy: RoutingPolicy;
  readonly models: ModelSources;
  readonly context: Pick<WorkbenchContext, "signal" | "workspace">;
  readonly progress: StepProgress;
  /** Inference threads. */
  readonly workers: number;
}

/** A frozen clock: a busy machine must not exhaust a pattern budget and so change what a run records. */
const untimed = (): number => 0;

/** Requests in flight at once for each inference thread. */
const inFlightPerWorker = 8;

/**
 * Scores every row over the catalog without the examples of its family; `catalog` is the whole one, which ships. A
 * retriever that can leave texts out in closed form may replace the loading of a smaller index for each part.
 */
export async function scoreLeftOut(
  options: ScoreRowsOptions,
  parts: readonly LeftOutPart[],
): Promise<{ readonly records: readonly ScoredRecord[]; readonly modelVersion: string }> {
  const scored = new Map<string, ScoredRecord>();
  let modelVersion = "";
  for (const part of parts) {
    const rows = options.rows.filter(({ id }) => part.rows.has(id));
    const found = await scoreRows({ ...options, catalog: part.catalog, rows });
    for (const record of found.records) scored.set(record.id, record);
    modelVersion = found.modelVersion;
  }
  return { records: options.rows.flatMap(({ id }) => scored.get(id) ?? []), modelVersion };
}

/** Loads the models for a catalog, scores every row with the serving code, and stops the inference threads. */
export async function scoreRows({
  catalog,
  policy,
  models: sources,
  context: { signal, workspace },
  progress,
  workers,
  ...work
}: ScoreRowsOptions): Promise<{ readonly records: readonly ScoredRecord[]; readonly modelVersion: string }> {
  const models = await loadModels(catalog, sources, {
    workers,
    queueLimit: 4096,
    cache: embeddingCacheFolder(workspace.vectors),
    onProgress: stepOf(progress, "index"),
    signal,
  });
  try {
    progress.start("scoring", work.rows.length);
    const scorer = new CandidateScorer({ catalog, policy, ...models, now: untimed });
    const records = await scoreDataset({
      ...work,
      scorer,
      catalogVersion: catalog.catalogVersion,
      workflowIds: catalog.workflows.map((workflow) => workflow.workflowId),
      concurrency: workers * inFlightPerWorker,
      onProgress: ({ done }) => progress.update(done),
      signal,
    });
    return { records, modelVersion: scorer.modelVersion };
  } finally {
    progress.done();
    await models.close();
  }
}
