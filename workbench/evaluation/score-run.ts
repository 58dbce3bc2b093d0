import { join } from "node:path";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { openResumeLog } from "../../eval/resume-log.js";
import { type ScoreOptions, scoreDataset } from "../../eval/score-dataset.js";
import { scoredTableBytes } from "../../eval/scored-table.js";
import { canonicalBytes, canonicalJson } from "../../src/digest/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import { toCamel } from "../../src/domain/camel.js";
import type { Catalog } from "../../src/domain/catalog.js";
import { defaultPolicy, type RoutingPolicy, type RoutingPolicyWire } from "../../src/domain/policy.js";
import type { RunWire, ScoredRecord } from "../../src/domain/scored-record.js";
import { removedWorkflows } from "../../src/domain/split.js";
import { SluiceError } from "../../src/errors/error.js";
import { embeddingCacheFolder } from "../../src/retrieval/embedding-cache-file.js";
import { CandidateScorer } from "../../src/routing/candidate-scorer.js";
import { loadModels, type ModelSources } from "../../src/routing/load-models.js";
import { serializerIdentity } from "../../src/serializer/identity.js";
import type { Reference } from "../records/reference.js";
import { stepOf } from "../step-progress.js";
import { modelOf } from "../records/model-of.js";
import { readCatalog, readDataset, readSplit } from "../records/read-records.js";
import { keepRecord, type Stage } from "../records/stage.js";

export interface ScoreRunOptions {
  readonly splitId?: string;
  /** A model of the history or a model directory; the latest of its role when absent. */
  readonly retriever?: Reference | undefined;
  readonly verifier?: Reference | undefined;
  /** The default policy when absent. */
  readonly policy?: RoutingPolicyWire | undefined;
  /** Inference threads. */
  readonly workers: number;
  /** Share of requests whose scoring may fail. */
  readonly maxErrorShare: number;
}

export interface ScoredRun {
  readonly runId: Sha256;
  readonly run: RunWire;
  readonly records: readonly ScoredRecord[];
  readonly milliseconds: number;
}

/** A clock that stands still: a busy machine must not spend a pattern budget and so change what a run records. */
const untimed = (): number => 0;

/** Requests in flight at once for each inference thread. */
const inFlightPerWorker = 8;

/**
 * Scores every request of the split's data set once, through the code that serves, and keeps the run.
 * An interrupted run goes on where it stopped; the same inputs give the same bytes.
 * @throws {SluiceError} INTERRUPTED, EXAMPLE_ERRORS, and those of loading
 */
export async function scoreRun(stage: Stage, options: ScoreRunOptions): Promise<ScoredRun> {
  const { history, context } = stage;
  const started = context.clock();
  const split = readSplit(history, options.splitId);
  const catalog = readCatalog(history, split.document.catalog_sha256);
  const dataset = readDataset(history, split.document.dataset_sha256);
  const retriever = await modelOf(stage, "retriever", options.retriever);
  const verifier = await modelOf(stage, "verifier", options.verifier);
  const { policy: policyWire = defaultPolicy } = options;
  const policyRecord = keepRecord(stage, "policy", canonicalBytes(policyWire));

  const inputs = {
    catalog_sha256: catalog.sha256,
    dataset_sha256: dataset.sha256,
    split_sha256: split.sha256,
    policy_sha256: policyRecord.sha256,
    retriever_sha256: retriever.sha256,
    verifier_sha256: verifier.sha256,
    serializer_sha256: serializerIdentity().goldenSha256,
  };
  const policy = toCamel(policyWire);
  const resume = openResumeLog(join(context.workspace.directory, "unfinished"), sha256Hex(canonicalJson(inputs)));
  const { records, modelVersion } = await scoreWithOwnModels({
    catalog: catalog.document,
    policy,
    context,
    models: { retrieverFiles: retriever.files, verifierFiles: verifier.files },
    workers: options.workers,
    rows: dataset.document,
    foldOf: foldOf(split.document),
    removedWorkflows: removedWorkflows(split.document),
    resume,
  });

  const errors = records.filter((record) => record.errorCode !== null).length;
  refuseErrors(errors, records.length, options.maxErrorShare);
  const table = scoredTableBytes(records);
  const run: RunWire = {
    schema_version: 1,
    ...inputs,
    model_version: modelVersion,
    records_sha256: sha256Hex(table),
    requests: records.length,
    example_errors: errors,
    top_k: policy.topK,
  };
  const { sha256 } = keepRecord(stage, "run", canonicalBytes(run), [table]);
  resume.remove();
  return { runId: sha256, run, records, milliseconds: context.clock() - started };
}

interface ScoringJob extends Pick<ScoreOptions, "rows" | "foldOf" | "removedWorkflows" | "resume"> {
  readonly catalog: Catalog;
  readonly policy: RoutingPolicy;
  readonly models: ModelSources;
  readonly context: Stage["context"];
  /** Inference threads. */
  readonly workers: number;
}

/** Loads the models, scores every row and stops the inference threads. */
async function scoreWithOwnModels({ catalog, policy, models: sources, context, workers, ...work }: ScoringJob) {
  const { progress, signal, workspace } = context;
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

function refuseErrors(errors: number, requests: number, maxShare: number): void {
  if (errors <= requests * maxShare) return;
  throw new SluiceError(
    "EXAMPLE_ERRORS",
    `${errors} of ${requests} requests could not be scored, at most ${maxShare} may`,
    {
      hint: "Scored requests are kept; run the command again, or allow more: sluice eval run --max-errors SHARE",
    },
  );
}
