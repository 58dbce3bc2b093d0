import { existsSync } from "node:fs";
import { join } from "node:path";
import { readDirectory } from "../../../src/artifacts/directory-hash.js";
import { foldOf } from "../../../datasets/split-by-workflow.js";
import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import type { Workflow } from "../../../src/domain/catalog.js";
import type { LabelledRequest } from "../../../src/domain/dataset.js";
import {
  type EncoderRetrieverModel,
  fusedFolders,
  type FusedRetrieverWire,
  type WordKernelsRetrieverModel,
} from "../../../src/domain/model.js";
import { unbounded } from "../../../src/domain/run-scope.js";
import { foldOfRow, removedWorkflows } from "../../../src/domain/split.js";
import { SluiceError } from "../../../src/errors/error.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { activeWorkflows } from "../../../src/policy/eligibility.js";
import { embeddingCacheFolder } from "../../evaluation/embedding-cache-file.js";
import { loadRetriever, parseRetrieverModel } from "../../../src/retrieval/load-retriever.js";
import { modelFileName, type ModelFiles } from "../../../src/retrieval/model-files.js";
import { readCatalog, readDataset, readSplit } from "../../records/read-records.js";
import { shortId } from "../../records/short-id.js";
import type { Stage } from "../../records/stage.js";
import { stepOf } from "../../step-progress.js";
import { packageFolder } from "../../tool-version.js";
import { writeModelFolder } from "../write-model-folders.js";
import { type ChosenWeight, chooseEncoderWeight, type ScoredTwice } from "./choose-encoder-weight.js";

export interface FuseRetrieversOptions {
  /** Directory of a retriever of kind encoder. */
  readonly encoder: string;
  /** Directory of a retriever of kind word_kernels. Default: the shipped one. */
  readonly wordKernels?: string | undefined;
  readonly splitId?: string | undefined;
  /** Folder of the fused retriever; must not exist. */
  readonly directory: string;
  /** Default: made of the versions of both. */
  readonly version?: string | undefined;
}

export interface FusedRetrievers {
  readonly description: FusedRetrieverWire;
  readonly quality: ChosenWeight;
}

interface Part<M> {
  readonly files: ModelFiles;
  readonly model: M;
}

/**
 * Writes a retriever that fuses an encoder with word kernels. The weight is chosen on the in-scope requests of fold TUNE
 * over the whole catalog; no other fold is read.
 * @throws {SluiceError} FILE_EXISTS, MODEL_INVALID, SPLIT_TOO_SMALL  no request of TUNE is in scope; WRITE_FAILED
 */
export async function fuseRetrievers(stage: Stage, options: FuseRetrieversOptions): Promise<FusedRetrievers> {
  const { directory } = options;
  if (existsSync(directory)) {
    const hint = "Name another folder with --out, or remove this one.";
    throw new SluiceError("FILE_EXISTS", `${directory}: is there already and is not replaced`, { hint });
  }
  const encoder = await partOf(options.encoder, "encoder");
  const shipped = join(packageFolder(), "models", "default", "retriever");
  const wordKernels = await partOf(options.wordKernels ?? shipped, "word_kernels");
  const split = readSplit(stage.history, options.splitId);
  const { dataset_sha256: datasetSha256, catalog_sha256: catalogSha256 } = split.document;
  const workflows = activeWorkflows(readCatalog(stage.history, catalogSha256).document);
  const folds = foldOf(split.document);
  const removed = removedWorkflows(split.document);
  const known = workflows.filter(({ workflowId }) => !removed.has(workflowId));
  const rows = readDataset(stage.history, datasetSha256).document.filter((row) => foldOfRow(row, folds) === "tune");
  const requests = await scoreTwice(stage, { encoder, wordKernels, workflows: known, rows });
  if (requests.length === 0) {
    throw new SluiceError(
      "SPLIT_TOO_SMALL",
      `the TUNE fold of split ${shortId(split.sha256)} has no request in scope`,
      {
        hint: "Give TUNE a larger share: sluice dataset split --shares 0.35,0.15,0.3,0.2; or label more requests.",
      },
    );
  }
  const quality = chooseEncoderWeight(requests);
  const parts = [encoder.model, wordKernels.model];
  const description: FusedRetrieverWire = {
    schema_version: 1,
    version:
      options.version ??
      parts
        .map(({ version }) => version)
        .join("+")
        .slice(0, longestVersion),
    capability: parts.every(({ capability }) => capability === "production") ? "production" : "development",
    role: "retriever",
    kind: "fused",
    encoder_weight: quality.fused.encoderWeight,
    fitted_on: {
      dataset_sha256: datasetSha256,
      split_sha256: split.sha256,
      catalog_sha256: catalogSha256,
      requests: requests.length,
    },
  };
  const inside = (part: keyof typeof fusedFolders, files: ModelFiles) =>
    [...files].map(([path, bytes]) => [`${fusedFolders[part]}${path}`, bytes] as const);
  const files = new Map([
    [modelFileName, canonicalBytes(description)] as const,
    ...inside("encoder", encoder.files),
    ...inside("wordKernels", wordKernels.files),
  ]);
  parseRetrieverModel(files);
  await writeModelFolder(directory, files);
  return { description, quality };
}

/** Characters of a version. */
const longestVersion = 160;

interface KindOf {
  readonly encoder: EncoderRetrieverModel;
  readonly word_kernels: WordKernelsRetrieverModel;
}

async function partOf<K extends keyof KindOf>(folder: string, kind: K): Promise<Part<KindOf[K]>> {
  const { files } = await readDirectory(folder);
  const model = parseRetrieverModel(files);
  if (model.kind === kind) return { files, model: model as KindOf[K] };
  throw new SluiceError("MODEL_INVALID", `${folder}: found a retriever of kind ${model.kind}, expected ${kind}`, {
    hint: "An encoder of yours is fused with word kernels: sluice model fuse ENCODER --kernels WORD_KERNELS --out DIR",
  });
}

interface TwoRankings {
  readonly encoder: Part<EncoderRetrieverModel>;
  readonly wordKernels: Part<WordKernelsRetrieverModel>;
  readonly workflows: readonly Workflow[];
  readonly rows: readonly LabelledRequest[];
}

/** Ranks the requests that belong to one of the workflows with both retrievers. */
async function scoreTwice({ context }: Stage, work: TwoRankings): Promise<readonly ScoredTwice[]> {
  const { encoder, wordKernels, workflows, rows } = work;
  const { progress, signal, workspace } = context;
  const positions = new Map(workflows.map(({ workflowId }, position) => [workflowId, position]));
  const pool = new InferencePool({ workers: 2, queueLimit: 64 });
  try {
    const onProgress = stepOf(progress, "index");
    const options = { cache: embeddingCacheFolder(workspace.vectors), onProgress, signal };
    const dense = await loadRetriever(encoder.files, workflows, pool, options);
    const words = await loadRetriever(wordKernels.files, workflows, pool, options);
    progress.start("ranking", rows.length);
    const found: ScoredTwice[] = [];
    for (const [done, { workflowId, text }] of rows.entries()) {
      signal.throwIfAborted();
      const gold = workflowId === null ? undefined : positions.get(workflowId);
      if (gold !== undefined) {
        const { scores, idRanks } = await words.rank(text, unbounded);
        found.push({ encoder: (await dense.rank(text, unbounded)).scores, wordKernels: scores, idRanks, gold });
      }
      progress.update(done + 1);
    }
    return found;
  } finally {
    progress.done();
    await pool.close();
  }
}
