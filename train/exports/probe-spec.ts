import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";
import type { ModelSpec } from "../../src/inference/protocol.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { type TransformerModel, transformerFiles } from "../../src/router/retrieval/transformer-files.js";
import { probeDocuments } from "./probe-texts.js";

/** The fields of a description, or of a draft, that determine a run's output. */
export type ProbedModel = TransformerModel &
  (Pick<EncoderRetrieverModel, "role" | "pooling" | "normalise"> | Pick<CrossEncoderModel, "role">);

/**
 * The specification from which a thread builds a model for probes, with the probe documents for pairs.
 * @throws {SluiceError} MODEL_INVALID  a file is missing
 */
export function probeSpec(files: ModelFiles, model: ProbedModel): ModelSpec {
  const transformer = transformerFiles(files, model, model.role);
  if (model.role === "verifier") return { ...transformer, kind: "pair_scorer", documents: probeDocuments };
  return { ...transformer, kind: "encoder", pooling: model.pooling, normalise: model.normalise };
}
