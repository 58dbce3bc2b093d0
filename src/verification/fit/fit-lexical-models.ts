import { canonicalBytes } from "../../digest/canonical-json.js";
import type { Catalog } from "../../domain/catalog.js";
import { toCamel, toSnake } from "../../domain/camel.js";
import type { LabelledRequest } from "../../domain/dataset.js";
import {
  type LexicalSettings,
  type LexicalRetrieverWire,
  type PairEvidenceModel,
  type PairEvidenceWire,
  verifierLabels,
} from "../../domain/model.js";
import { onnxModel } from "../../inference/onnx-graph.js";
import type { InferencePool } from "../../inference/pool.js";
import { compileInputPatterns } from "../../inputs/input-patterns.js";
import { LexicalRetriever } from "../../retrieval/lexical/lexical-retriever.js";
import { type ModelFiles, modelFileName } from "../../retrieval/model-files.js";
import { seededRandom } from "../../stats/seeded-random.js";
import { evidenceFeatures, PairEvidence } from "../pair-evidence.js";
import { collectPairs } from "./collect-pairs.js";
import { defaultNetworkFit, fitPairNetwork } from "./fit-pair-network.js";

/** Settings of the lexical kernels: word 1-2-grams and character 3-5-grams, exponential kernel, ridge. */
export const defaultLexicalSettings: LexicalSettings = {
  wordWeight: 0.65,
  charMin: 3,
  charMax: 5,
  gamma: 2,
  ridge: 0.1,
};

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

/** The lexical retriever: settings only, its head is fitted on the catalog when the index is built. */
export function lexicalRetrieverModel(lexical: LexicalSettings): LexicalRetrieverWire {
  return {
    schema_version: 1,
    role: "retriever",
    kind: "lexical",
    version: "lexical-ridge-1",
    capability: "production",
    prefix: { query: "", document: "" },
    lexical: toSnake<LexicalRetrieverWire["lexical"]>(lexical),
  };
}

/**
 * Fits the default models: the retriever needs no labels, the pair verifier learns from the FIT fold's candidates.
 * Deterministic for equal inputs and seed.
 * @throws {SluiceError} FIT_FAILED, INTERRUPTED
 */
export async function fitLexicalModels(options: LexicalFitOptions): Promise<LexicalModels> {
  const lexical = defaultLexicalSettings;
  const retrieverModel = lexicalRetrieverModel(lexical);
  const active = options.catalog.workflows.filter((w) => w.status === "active");
  const patterns = compileInputPatterns(options.catalog);
  const retriever = await LexicalRetriever.create(toCamel(retrieverModel), active, options.pool);
  const pairs = await collectPairs({
    requests: options.fitRequests,
    workflows: new Map(active.map((w) => [w.workflowId, w])),
    retriever,
    evidence: new PairEvidence(active, lexical, patterns),
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
    version: "pair-evidence-1",
    capability: "production",
    label_order: [...verifierLabels],
    graph: "model.onnx",
    features: [...evidenceFeatures],
    lexical: retrieverModel.lexical,
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
    retriever: new Map([[modelFileName, canonicalBytes(retrieverModel)]]),
    verifier: new Map([
      [modelFileName, canonicalBytes(verifierModel)],
      ["model.onnx", onnxModel(network.toGraph(standardisation))],
    ]),
    pairs: pairs.labels.length,
    loss,
  };
}
