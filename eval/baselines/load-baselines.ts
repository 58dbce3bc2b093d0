import type { Workflow } from "../../src/documents/catalog.js";
import { HybridRetriever } from "../../src/router/retrieval/hybrid-retriever.js";
import { lexicalRetrieverModel } from "../../src/router/retrieval/load-retriever.js";
import type { Retriever } from "../../src/router/retrieval/retriever.js";
import { positiveParts } from "../../src/documents/workflow-text/contract-parts.js";
import { Bm25Retriever } from "./bm25.js";

/** A retriever that serves as a baseline for every run. */
export interface Baseline {
  readonly name: string;
  readonly retriever: Retriever;
}

/** The baselines of a catalog, and one sentence for each baseline that cannot serve it. */
export interface Baselines {
  readonly baselines: readonly Baseline[];
  readonly leftOut: readonly string[];
}

/** Maximum number of texts for the lexical baseline, indexed once or in parts: more takes too long for a baseline. */
export const mostLexicalTexts = { once: 3000, inParts: 1000 } as const;

/** The whole catalog of a baseline, and the number of its texts up to which the lexical retriever is one. */
interface LexicalLimit {
  readonly texts: number;
  readonly most: number;
}

export const indexedTexts = (workflows: readonly Workflow[]): number => workflows.flatMap(positiveParts).length;

/**
 * BM25, and for small catalogs the lexical retriever with its default settings.
 * @param limit  for a part of a catalog, which lacks some examples, that of the whole. Default: that of `workflows`
 */
export async function loadBaselines(
  workflows: readonly Workflow[],
  { texts, most }: LexicalLimit = { texts: indexedTexts(workflows), most: mostLexicalTexts.once },
): Promise<Baselines> {
  const bm25: Baseline = { name: "BM25", retriever: new Bm25Retriever(workflows) };
  if (texts > most) {
    const limit = `it supports at most ${most} texts, but the catalog has ${texts}`;
    return { baselines: [bm25], leftOut: [`The lexical baseline is left out: ${limit}.`] };
  }
  const retriever = await HybridRetriever.create({ model: lexicalRetrieverModel, encoded: null }, workflows);
  return { baselines: [bm25, { name: "Lexical", retriever }], leftOut: [] };
}
