import { joinedRequests } from "../../datasets/joined-requests.js";
import { type LeftOutPart, leftOutParts, leftOutOf, scoresLeftOut } from "../../datasets/left-out.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import type { ResumeLog } from "../../eval/resume-log.js";
import { populationsOf } from "../../eval/population-of.js";
import { rowsOfShard, type ScoringInputs, scoringInputsOf, type ShardPart } from "../../eval/shard-file.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { kinOfRows, removedWorkflows, type Split } from "../../src/documents/split.js";
import { SluiceError } from "../../src/base/error.js";
import { onnxRuntimeVersion } from "../../src/inference/models/open-session.js";
import type { OpenModels } from "../../src/router/load-models.js";
import { serializerIdentity } from "../../src/documents/workflow-text/identity.js";
import type { HistoryKind } from "../../src/documents/choices.js";
import { type RecordDocuments, recordReaders } from "../../store/records/record-readers.js";
import { toolVersion } from "../../src/base/package-facts.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { type ScoredPart, type ScoredRows, type ScoreRowsOptions, scoreWith, withModels } from "./score-rows.js";

/** Everything that determines the scores of a run, read by digest. */
export interface ScoringWork
  extends Pick<ScoreRowsOptions, "catalog" | "policy" | "rows" | "models">,
    Required<Pick<ScoreRowsOptions, "foldOf" | "kin" | "removedWorkflows" | "populationOf" | "joins">> {
  readonly inputs: ScoringInputs;
  readonly split: Split;
  /** Parts that are scored over smaller catalogs; undefined if every row is scored over the whole catalog. */
  readonly parts: readonly ScoredPart[] | undefined;
}

/** Execution environment of scoring: inference threads, embedding cache, cancellation and progress. */
export interface ScoringPlace extends Pick<ScoreRowsOptions, "workers"> {
  readonly context: Pick<WorkbenchContext, "workspace" | "signal" | "progress">;
}

/** Rows to score, and storage of finished records. Default: all rows, no storage. */
export interface ScoringPart {
  readonly shard?: ShardPart;
  readonly resume?: ResumeLog;
}

/** Version of the scoring code and runtime. Shards of different versions cannot be merged. */
export function scoringVersion(): string {
  return `sluice ${toolVersion()}, onnxruntime ${onnxRuntimeVersion()}`;
}

/**
 * Reads the inputs of a run by their digests.
 * @param blob  returns the verified bytes of a digest
 * @throws {SluiceError} IDENTITY_MISMATCH  the inputs were made for a different serializer; and the errors of `blob`
 */
export async function readScoringWork(
  inputs: ScoringInputs,
  blob: (sha256: Sha256) => Buffer | Promise<Buffer>,
): Promise<ScoringWork> {
  const { goldenSha256 } = serializerIdentity();
  if (inputs.serializer_sha256 !== goldenSha256) {
    const found = `serializer ${inputs.serializer_sha256.slice(0, 12)}, this program has ${goldenSha256.slice(0, 12)}`;
    throw new SluiceError("IDENTITY_MISMATCH", `the run requires ${found}`, {
      hint: "Use one version of Sluice on every machine.",
    });
  }
  const document = async <K extends HistoryKind>(kind: K, sha256: Sha256): Promise<RecordDocuments[K]> =>
    recordReaders[kind](await blob(sha256), `${kind} ${sha256.slice(0, 12)}`);
  const files = async (sha256: Sha256) => {
    const model = await document("model", sha256);
    const entries: [string, Buffer][] = [];
    for (const { path, sha256: file } of model.files) entries.push([path, await blob(file)]);
    return new Map(entries);
  };
  const split = await document("split", inputs.split_sha256);
  const catalog = await document("catalog", inputs.catalog_sha256);
  const rows = await document("dataset", inputs.dataset_sha256);
  const folds = { foldOf: foldOf(split), removedWorkflows: removedWorkflows(split) };
  const policy = await document("policy", inputs.policy_sha256);
  const parts = scoresLeftOut(split)
    ? withPopulations(leftOutParts(rows, catalog, leftOutOf(split)), { rows, ...folds })
    : undefined;
  return {
    inputs: scoringInputsOf(inputs),
    split,
    catalog,
    rows,
    ...folds,
    kin: kinOfRows(split),
    populationOf: populationsOf({ rows, ...folds }),
    policy,
    joins: joinedRequests(rows, { words: policy.several_wishes, removed: folds.removedWorkflows, parts }),
    models: {
      retrieverFiles: await files(inputs.retriever_sha256),
      verifierFiles: await files(inputs.verifier_sha256),
    },
    parts,
  };
}

/** Adds populations to parts: a row is seen if another row of its workflow in the part is in FIT. */
export function withPopulations(
  parts: readonly LeftOutPart[],
  { rows, ...folds }: Pick<ScoringWork, "rows" | "foldOf" | "removedWorkflows">,
): readonly ScoredPart[] {
  return parts.map((part) => {
    const ofPart = rows.filter(({ id }) => part.rows.has(id));
    return { ...part, populationOf: populationsOf({ rows: ofPart, ...folds }) };
  });
}

/** Opens the models, scores rows, and stops the inference threads. */
export function scoreWork(work: ScoringWork, place: ScoringPlace, part?: ScoringPart): Promise<ScoredRows> {
  const { models, rows } = work;
  return withModels({ ...place, models, rows }, (open) => scoreWorkWith(open, work, place, part));
}

/**
 * Scores rows with open models. Whole runs, shards and queue workers all use this function, so that they produce the
 * same records.
 */
export function scoreWorkWith(
  open: OpenModels,
  work: ScoringWork,
  { context, workers }: ScoringPlace,
  { shard, resume }: ScoringPart = {},
): Promise<ScoredRows> {
  const { catalog, policy, foldOf: folds, kin, populationOf, parts, joins } = work;
  const asked = {
    catalog,
    policy,
    rows: shard === undefined ? work.rows : rowsOfShard(work.rows, shard),
    foldOf: folds,
    kin,
    joins,
    removedWorkflows: work.removedWorkflows,
    populationOf,
    context,
    progress: context.progress,
    workers,
  };
  return scoreWith(open, resume === undefined ? asked : { ...asked, resume }, parts);
}
