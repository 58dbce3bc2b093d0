import { toCamel } from "../../src/domain/camel.js";
import type { Workflow } from "../../src/domain/catalog.js";
import type { InferencePool } from "../../src/inference/pool.js";
import { LexicalRetriever } from "../../src/retrieval/lexical/lexical-retriever.js";
import type { Retriever } from "../../src/retrieval/retriever.js";
import { defaultLexicalSettings, lexicalRetrieverModel } from "../../src/verification/fit/fit-lexical-models.js";
import { Bm25Retriever } from "./bm25.js";

/** A retriever that every run is shown beside. */
export interface Baseline {
  readonly name: string;
  readonly retriever: Retriever;
}

/** BM25 over the texts of the workflows. */
export const bm25Baseline = (workflows: readonly Workflow[]): Baseline => ({
  name: "BM25",
  retriever: new Bm25Retriever(workflows),
});

/**
 * The lexical retriever with its default settings; no verifier.
 * @throws {SluiceError} CATALOG_INVALID  more texts than it can fit
 */
export async function lexicalBaseline(workflows: readonly Workflow[], pool: InferencePool): Promise<Baseline> {
  const model = toCamel(lexicalRetrieverModel(defaultLexicalSettings));
  return { name: "Lexical", retriever: await LexicalRetriever.create(model, workflows, pool) };
}
