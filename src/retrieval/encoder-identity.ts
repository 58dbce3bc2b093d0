import { canonicalJson } from "../digest/canonical-json.js";
import { sha256Hex } from "../digest/sha256.js";
import type { EncoderRetrieverModel } from "../domain/model.js";
import type { TransformerFiles } from "../inference/protocol.js";
import { onnxRuntimeVersion } from "../inference/runtime-version.js";
import type { EncoderIdentity } from "./embedding-cache.js";

/** What the vectors of a model depend on. Prefixes belong to the texts; weights of the score come after the vectors. */
export function encoderIdentity(model: EncoderRetrieverModel, files: TransformerFiles): EncoderIdentity {
  const { dimensions, pooling, normalise } = model;
  const sha256 = sha256Hex(
    canonicalJson({
      graph: sha256Hex(files.graph.bytes),
      external_data: files.graph.externalData.map(({ path, bytes }) => [path, sha256Hex(bytes)]),
      tokenizer: sha256Hex(files.tokenizer),
      max_tokens: files.maxTokens,
      output: files.output,
      dimensions,
      pooling,
      normalise,
      onnxruntime: onnxRuntimeVersion(),
    }),
  );
  return { sha256, dimensions };
}
