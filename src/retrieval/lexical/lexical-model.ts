import { toSnake } from "../../domain/camel.js";
import type { LexicalRetrieverWire, LexicalSettings } from "../../domain/model.js";

/** Settings of the lexical kernels: word 1-2-grams and character 3-5-grams, exponential kernel, ridge. */
export const defaultLexicalSettings: LexicalSettings = {
  wordWeight: 0.65,
  charMin: 3,
  charMax: 5,
  gamma: 2,
  ridge: 0.1,
};

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
