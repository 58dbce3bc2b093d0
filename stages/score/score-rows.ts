import { type ScoreOptions, scoreDataset } from "../../eval/score-dataset.js";
import type { LeftOutPart } from "../../datasets/left-out.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { RoutingPolicy } from "../../src/documents/policy.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { embeddingCacheFolder } from "../../store/embedding-cache-file.js";
import { CandidateScorer } from "../../src/router/candidate-scorer.js";
import { type ModelSources, type OpenModels, openModels, threadsFor } from "../../src/router/load-models.js";
import { silentProgress, type StepProgress, stepOf } from "../../store/step-progress.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

export interface ScoreRowsOptions
  extends Pick<ScoreOptions, "rows" | "foldOf">,
    Partial<Pick<ScoreOptions, "populationOf" | "kin" | "removedWorkflows" | "resume" | "joins">> {
  readonly catalog: Catalog;
  readonly policy: RoutingPolicy;
  readonly models: ModelSources;
  readonly context: Pick<WorkbenchContext, "signal" | "workspace">;
  readonly progress: StepProgress;
  readonly workers: number;
}

/** Rows and their catalog. By default, populations are derived from the scored rows of the part. */
export interface ScoredPart extends LeftOutPart, Pick<ScoreOptions, "populationOf"> {}

/**
 * A clock that stands still, because a busy machine must not exhaust a pattern budget and thus change the records of a
 * run.
 */
const untimed = (): number => 0;

/**
 * Number of parts scored at once: building an index occupies one thread for longer than scoring, and each index needs
 * memory.
 */
const partsAtOnce = 2;

/** Number of requests in flight per inference thread. */
const inFlightPerWorker = 8;

/** Opens the models, scores every row with the serving code, and stops the inference threads. */
export function scoreRows(options: ScoreRowsOptions, parts?: readonly ScoredPart[]): Promise<ScoredRows> {
  return withModels(options, (models) => scoreWith(models, options, parts));
}

/**
 * Scores every row with open models.
 * @param parts  rows with their catalogs, which lack the examples of the rows' families; without parts, every row is
 *   scored over `catalog`
 */
export function scoreWith(
  models: OpenModels,
  options: Omit<ScoreRowsOptions, "models">,
  parts?: readonly ScoredPart[],
): Promise<ScoredRows> {
  return parts === undefined ? scoreOver(models, options) : scoreParts(models, options, parts);
}

async function scoreParts(
  models: OpenModels,
  options: Omit<ScoreRowsOptions, "models">,
  parts: readonly ScoredPart[],
): Promise<ScoredRows> {
  const { rows: all } = options;
  const scored = new Map<string, ScoredRecord>();
  let modelVersion = "";
  options.progress.start("scoring", all.length);
  const open = parts.values();
  const scoreNext = async (): Promise<void> => {
    for (const part of open) {
      const rows = all.filter(({ id }) => part.rows.has(id));
      if (rows.length === 0) continue;
      const { catalog, populationOf } = part;
      const among = populationOf === undefined ? {} : { populationOf };
      const found = await scoreOver(models, { ...options, ...among, catalog, rows, progress: silentProgress });
      for (const record of found.records) scored.set(record.id, record);
      modelVersion = found.modelVersion;
      options.progress.update(scored.size);
    }
  };
  const loops = await Promise.allSettled(Array.from({ length: Math.min(partsAtOnce, options.workers) }, scoreNext));
  for (const loop of loops) if (loop.status === "rejected") throw loop.reason;
  options.progress.done();
  return { records: all.flatMap(({ id }) => scored.get(id) ?? []), modelVersion };
}

export interface ScoredRows {
  readonly records: readonly ScoredRecord[];
  readonly modelVersion: string;
}

/** Opens models for work over one or more catalogs, and stops the inference threads afterwards. */
export async function withModels<T>(
  {
    models: sources,
    rows,
    context: { workspace },
    workers: most,
  }: Pick<ScoreRowsOptions, "models" | "rows" | "context" | "workers">,
  use: (models: OpenModels) => Promise<T>,
): Promise<T> {
  const cache = embeddingCacheFolder(workspace.vectors);
  const workers = threadsFor(rows.length, most);
  const models = await openModels(sources, { workers, queueLimit: 4096, cache, cachesRequests: true });
  try {
    return await use(models);
  } finally {
    await models.close();
  }
}

async function scoreOver(
  open: OpenModels,
  { catalog, policy, context: { signal }, progress, workers, ...work }: Omit<ScoreRowsOptions, "models">,
): Promise<ScoredRows> {
  const models = await open.over(catalog, { onProgress: stepOf(progress, "index"), signal });
  try {
    progress.start("scoring", work.rows.length);
    const scorer = new CandidateScorer({ catalog, policy, ...models, now: untimed });
    const records = await scoreDataset({
      ...work,
      scorer,
      catalogVersion: catalog.catalog_version,
      workflowIds: catalog.workflows.map((workflow) => workflow.workflow_id),
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

/** Models that reuse their indexes for the next shard: a catalog is indexed only once until the models are closed. */
export function keepingIndexes(open: OpenModels): OpenModels {
  const indexes = new Map<Catalog, ReturnType<OpenModels["over"]>>();
  return {
    over: async (catalog, { onProgress } = {}) => {
      const known = indexes.get(catalog);
      const index = known ?? open.over(catalog, { onProgress });
      if (known === undefined) indexes.set(catalog, index);
      const loaded = await index.catch((error: unknown) => {
        indexes.delete(catalog);
        throw error;
      });
      return { ...loaded, close: async () => undefined };
    },
    close: () => open.close(),
  };
}
