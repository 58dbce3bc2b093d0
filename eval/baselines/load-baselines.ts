import { toCamel } from "../../src/domain/camel.js";
import type { Workflow } from "../../src/domain/catalog.js";
import { toSluiceError } from "../../src/errors/error.js";
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

/** The baselines of a catalog, and one sentence for each that cannot serve it. */
export interface Baselines {
  readonly baselines: readonly Baseline[];
  readonly leftOut: readonly string[];
}

/** BM25, and the lexical retriever with its default settings where the catalog has no more texts than it can fit. */
export async function loadBaselines(workflows: readonly Workflow[], pool: InferencePool): Promise<Baselines> {
  const bm25: Baseline = { name: "BM25", retriever: new Bm25Retriever(workflows) };
  const model = toCamel(lexicalRetrieverModel(defaultLexicalSettings));
  try {
    const lexical: Baseline = { name: "Lexical", retriever: await LexicalRetriever.create(model, workflows, pool) };
    return { baselines: [bm25, lexical], leftOut: [] };
  } catch (error) {
    const { code, message } = toSluiceError(error);
    if (code !== "CATALOG_INVALID") throw error;
    return { baselines: [bm25], leftOut: [`The lexical baseline is left out: ${message}.`] };
  }
}
