import type { Workflow } from "../../domain/catalog.js";
import type { EncoderRetrieverModel } from "../../domain/model.js";
import type { RunScope } from "../../domain/run-scope.js";
import { SluiceError } from "../../errors/error.js";
import { onnxModel } from "../../inference/onnx-graph.js";
import { plainGraph } from "../../inference/plain-graph.js";
import type { LoadedModel, ModelHost } from "../../inference/model-host.js";
import type { TransformerFiles } from "../../inference/protocol.js";
import { idRanksOf } from "../best-positions.js";
import { MemoryEmbeddingCache } from "../embedding-cache.js";
import type { Ranking, Retriever } from "../retriever.js";
import type { WarmUpOptions } from "../warm-up-options.js";
import { embedTexts } from "./embed-texts.js";
import { encoderIdentity } from "./encoder-identity.js";
import { type IndexedWorkflow, indexGraph, requireIndexFits } from "./index-graph.js";
import { type IndexedTexts, indexedTexts } from "./index-texts.js";

/** Texts in one warm-up job of an encoder whose rows may share a run. */
const sharedBatch = 32;
const usualJobsInFlight = 2;

/** A model description and the files that it names. */
export interface EncoderSource {
  readonly model: EncoderRetrieverModel;
  readonly files: TransformerFiles;
}

/** The encoder, and the search over the vectors of a catalog. */
export interface EncoderIndex {
  readonly encoder: LoadedModel;
  readonly search: LoadedModel;
}

/** A transformer encoder, and an exact search over the vectors of the catalog's texts. */
export class EncoderRetriever implements Retriever {
  readonly version: string;
  readonly capability: EncoderRetrieverModel["capability"];
  private readonly queryPrefix: string;
  private readonly workflowIds: readonly string[];
  private readonly idRanks: Int32Array;
  private readonly index: EncoderIndex;

  /** @param workflows  those that the index was made of, in the same order */
  constructor(model: EncoderRetrieverModel, workflows: readonly Workflow[], index: EncoderIndex) {
    this.version = model.version;
    this.capability = model.capability;
    this.queryPrefix = model.prefix.query;
    this.workflowIds = workflows.map(({ workflowId }) => workflowId);
    this.idRanks = idRanksOf(this.workflowIds);
    this.index = index;
  }

  /**
   * Encodes the texts of the workflows and loads the search over them.
   * @throws {SluiceError} MODEL_INVALID, CATALOG_INVALID for an index that is too large, INTERRUPTED, MODEL_RUN_FAILED
   */
  static async index(
    { model, files }: EncoderSource,
    workflows: readonly Workflow[],
    pool: ModelHost,
    options: WarmUpOptions = {},
  ): Promise<EncoderIndex> {
    if (workflows.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow to index");
    const texts = workflows.map((workflow) => indexedTexts(workflow, model.prefix.document));
    requireIndexFits(
      texts.reduce((sum, { examples }) => sum + 1 + examples.length, 0),
      model.dimensions,
    );
    const { pooling, normalise, dimensions, descriptionWeight } = model;
    const encoder = await pool.load({ kind: "encoder", ...files, pooling, normalise });
    const identity = encoderIdentity(model, files);
    const vectors = await embedTexts(
      texts.flatMap(({ description, examples }) => [description, ...examples]),
      {
        encoder,
        identity,
        textsPerJob: files.sharesRuns ? sharedBatch : 1,
        jobsInFlight: options.jobsInFlight ?? usualJobsInFlight,
        cache: (await options.cache?.(identity)) ?? new MemoryEmbeddingCache(),
        onProgress: options.onProgress,
        signal: options.signal,
      },
    );
    const indexed = texts.map((own, position) => withVectors(workflows[position]?.workflowId ?? "", own, vectors));
    const graph = indexGraph(indexed, dimensions, descriptionWeight);
    return { encoder, search: await pool.load(plainGraph(onnxModel(graph))) };
  }

  async rank(text: string, scope: RunScope): Promise<Ranking> {
    const { workflowIds, idRanks } = this;
    const { encoder, search } = this.index;
    const texts = [this.queryPrefix + text];
    const { matrix, truncatedRows } = await encoder.run({ kind: "texts", texts, goesTo: search.model }, scope);
    return { workflowIds, idRanks, scores: new Float64Array(matrix.values), truncated: truncatedRows > 0 };
  }
}

function withVectors(
  workflowId: string,
  { description, examples }: IndexedTexts,
  vectors: ReadonlyMap<string, Float32Array>,
): IndexedWorkflow {
  const vectorOf = (text: string): Float32Array => vectors.get(text) ?? new Float32Array();
  return { workflowId, description: vectorOf(description), examples: examples.map(vectorOf) };
}
