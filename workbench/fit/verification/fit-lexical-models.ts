import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import type { Catalog } from "../../../src/domain/catalog.js";
import { toSnake } from "../../../src/domain/camel.js";
import type { LabelledRequest } from "../../../src/domain/dataset.js";
import {
  type PairEvidenceModel,
  type PairEvidenceWire,
  verifierLabels,
  type WordKernelsRetrieverWire,
} from "../../../src/domain/model.js";
import { onnxModel } from "../../../src/inference/onnx-graph.js";
import type { InferencePool } from "../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../src/inputs/input-patterns.js";
import { defaultNgramSettings, lexicalRetrieverModel } from "../../../src/retrieval/kernels/default-settings.js";
import { WordKernelsRetriever } from "../../../src/retrieval/kernels/word-kernels-retriever.js";
import { type ModelFiles, modelFileName } from "../../../src/retrieval/model-files.js";
import { normaliserVersion } from "../../../src/retrieval/words/normaliser.js";
import { seededRandom } from "../../../src/stats/seeded-random.js";
import { evidenceFeatures, PairEvidence } from "../../../src/verification/pair-evidence.js";
import { collectPairs } from "./collect-pairs.js";
import { defaultNetworkFit, fitPairNetwork } from "./fit-pair-network.js";

export interface LexicalFitOptions {
  readonly catalog: Catalog;
  /** Labelled requests of the FIT fold; no other fold may be among them. */
  readonly fitRequests: readonly LabelledRequest[];
  readonly fittedOn: Pick<PairEvidenceModel["fittedOn"], "datasetSha256" | "splitSha256" | "catalogSha256">;
  readonly topK: number;
  readonly seed: number;
  readonly pool: InferencePool;
  readonly onProgress?: (stage: "pairs" | "epochs", done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface LexicalModels {
  /** Files of the two model directories by relative path. */
  readonly retriever: ModelFiles;
  readonly verifier: ModelFiles;
  readonly pairs: number;
  /** Mean cross-entropy of the last pass over the pairs, nats. */
  readonly loss: number;
}

/**
 * Fits the default models: the retriever needs no labels, the pair verifier learns from the FIT fold's candidates.
 * Deterministic for equal inputs and seed.
 * @throws {SluiceError} FIT_FAILED, INTERRUPTED
 */
export async function fitLexicalModels(options: LexicalFitOptions): Promise<LexicalModels> {
  const active = options.catalog.workflows.filter((w) => w.status === "active");
  const patterns = compileInputPatterns(options.catalog);
  const source = { model: lexicalRetrieverModel, vectors: null };
  const retriever = await WordKernelsRetriever.create(source, active, options.pool);
  const pairs = await collectPairs({
    requests: options.fitRequests,
    workflows: new Map(active.map((w) => [w.workflowId, w])),
    retriever,
    evidence: new PairEvidence(active, defaultNgramSettings, patterns),
    patterns,
    topK: options.topK,
    onProgress: (done, total) => options.onProgress?.("pairs", done, total),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const settings = defaultNetworkFit;
  const { network, standardisation, loss } = fitPairNetwork(pairs, settings, seededRandom(options.seed), (epoch) =>
    options.onProgress?.("epochs", epoch, settings.epochs),
  );
  const verifierModel: PairEvidenceWire = {
    schema_version: 1,
    role: "verifier",
    kind: "pair_evidence",
    normaliser: normaliserVersion,
    version: "pair-evidence-2",
    capability: "production",
    label_order: [...verifierLabels],
    graph: "model.onnx",
    features: [...evidenceFeatures],
    lexical: toSnake<PairEvidenceWire["lexical"]>(defaultNgramSettings),
    fitted_on: {
      dataset_sha256: options.fittedOn.datasetSha256,
      split_sha256: options.fittedOn.splitSha256,
      catalog_sha256: options.fittedOn.catalogSha256,
      requests: pairs.requests,
      pairs: pairs.labels.length,
      seed: options.seed,
    },
  };
  return {
    retriever: new Map([[modelFileName, canonicalBytes(toSnake<WordKernelsRetrieverWire>(lexicalRetrieverModel))]]),
    verifier: new Map([
      [modelFileName, canonicalBytes(verifierModel)],
      ["model.onnx", onnxModel(network.toGraph(standardisation))],
    ]),
    pairs: pairs.labels.length,
    loss,
  };
}
