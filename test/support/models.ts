/** Model directories in memory, and models loaded from them. */
import type { Catalog } from "../../src/documents/catalog.js";
import { type LinearVerifierModel } from "../../src/documents/model.js";
import { type VerifierLabel, verifierLabels } from "../../src/documents/choices.js";
import type { InferencePoolOptions } from "../../src/inference/pool.js";
import { type ModelFiles, modelFileName } from "../../src/router/retrieval/model-files.js";
import { type LoadedModels, loadModels } from "../../src/router/load-models.js";
import { lexicalRetrieverModel } from "../../src/router/retrieval/load-retriever.js";
import { normaliserVersion } from "../../src/router/retrieval/words.js";
import { featureNames } from "../../src/router/verification/similarity-features.js";
import { linearModel } from "./graphs.js";

type Feature = (typeof featureNames)[number];
type FeatureWeights = Readonly<Partial<Record<Feature, number>>>;

/** A linear verifier: logit of each label = bias + weights x features, both 0 unless given. */
export interface VerifierWeights {
  readonly weights?: Readonly<Partial<Record<VerifierLabel, FeatureWeights>>>;
  readonly bias?: Readonly<Partial<Record<VerifierLabel, number>>>;
  readonly labelOrder?: readonly VerifierLabel[];
}

/** Judges by the retrieval score alone: a score of 0.3 is even odds. */
export const byRetrievalScore: VerifierWeights = {
  weights: { executable: { score: 20 } },
  bias: { executable: -6, needs_input: -20 },
};

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value), "utf8");

export function retrieverFiles(): ModelFiles {
  return new Map([[modelFileName, json(lexicalRetrieverModel)]]);
}

export function verifierGraph({ weights = {}, bias = {}, labelOrder = verifierLabels }: VerifierWeights): Buffer {
  return linearModel({
    columns: featureNames.length,
    weights: featureNames.flatMap((feature) => labelOrder.map((label) => weights[label]?.[feature] ?? 0)),
    bias: labelOrder.map((label) => bias[label] ?? 0),
  });
}

export function verifierFiles(
  verifier: VerifierWeights = byRetrievalScore,
  overrides: Partial<LinearVerifierModel> = {},
): ModelFiles {
  const model: LinearVerifierModel = {
    schema_version: 1,
    role: "verifier",
    kind: "linear",
    normaliser: normaliserVersion,
    version: "linear-1",
    capability: "production",
    label_order: [...(verifier.labelOrder ?? verifierLabels)],
    graph: "model.onnx",
    graph_without_examples: null,
    features: [...featureNames],
    retriever: lexicalRetrieverModel.version,
    commitment: null,
    fitted_on: { tasks: [], pairs: 0, seed: 0 },
    ...overrides,
  };
  return new Map([
    [modelFileName, json(model)],
    ["model.onnx", verifierGraph(verifier)],
  ]);
}

/** A verifier directory whose graph is replaced; its features and description stay those of this version. */
export function verifierFilesWithGraph(graph: Buffer): ModelFiles {
  return new Map([...verifierFiles(), ["model.onnx", graph]]);
}

const onePool: InferencePoolOptions = { workers: 1, queueLimit: 64 };

/** Both models for a catalog; the caller closes them. */
export function testModels(
  catalog: Catalog,
  verifier: ModelFiles = verifierFiles(),
  pool: Partial<InferencePoolOptions> = {},
): Promise<LoadedModels> {
  return loadModels(catalog, { retrieverFiles: retrieverFiles(), verifierFiles: verifier }, { ...onePool, ...pool });
}
