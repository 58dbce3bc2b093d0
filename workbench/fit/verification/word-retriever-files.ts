import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import { toSnake } from "../../../src/domain/camel.js";
import type { WordKernelsRetrieverModel, WordKernelsRetrieverWire } from "../../../src/domain/model.js";
import { onnxModel } from "../../../src/inference/onnx-graph.js";
import { defaultHeadSettings, defaultKernelSettings } from "../../../src/retrieval/kernels/default-settings.js";
import { type ModelFiles, modelFileName } from "../../../src/retrieval/model-files.js";
import type { FittedVectors } from "../words/fit-word-vectors.js";
import { normaliserVersion } from "../../../src/retrieval/words/normaliser.js";
import { vectorsGraph } from "../words/vectors-graph.js";
import { vocabularyBytes } from "../../../src/retrieval/words/vocabulary.js";

/** The retriever that a fit of word vectors makes. */
export function wordRetrieverModel(dimensions: number): WordKernelsRetrieverModel {
  return {
    schemaVersion: 1,
    role: "retriever",
    kind: "word_kernels",
    normaliser: normaliserVersion,
    version: "word-kernels-1",
    capability: "production",
    prefix: { query: "", document: "" },
    vectors: { graph: "vectors.onnx", vocabulary: "vocabulary.txt", dimensions },
    kernels: defaultKernelSettings,
    nameApart: true,
    head: defaultHeadSettings,
  };
}

/** Files of the retriever's model directory by relative path; weights are int8 with one scale for each word. */
export function wordRetrieverFiles({ vocabulary, dimensions, values }: FittedVectors): ModelFiles {
  const model = toSnake<WordKernelsRetrieverWire>(wordRetrieverModel(dimensions));
  return new Map([
    [modelFileName, canonicalBytes(model)],
    ["vectors.onnx", onnxModel(vectorsGraph(values, dimensions))],
    ["vocabulary.txt", vocabularyBytes(vocabulary)],
  ]);
}
