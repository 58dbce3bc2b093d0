import type { Workflow } from "../../src/documents/catalog.js";
import { idRanksOf } from "../../src/router/retrieval/best-positions.js";
import { rowAt, rowCount, type SparseRows, transposed } from "../../src/router/retrieval/sparse-rows.js";
import { TermCounts } from "../../src/router/retrieval/term-index.js";
import type { Ranking, Retriever } from "../../src/router/retrieval/retriever.js";
import { wordsOf } from "../../src/router/retrieval/words.js";
import { positiveParts } from "../../src/documents/workflow-text/contract-parts.js";

/** Term saturation (k1) and length normalisation (b), at their usual values. */
const k1 = 1.2;
const b = 0.75;

/**
 * Okapi BM25 over one document per workflow: its name, description, capabilities and examples joined. A word is counted
 * as often as it occurs in the request. The inverse document frequency is ln(1 + (N - n + 0.5) / (n + 0.5)), which
 * cannot be negative. Nothing is fitted.
 * @see Robertson and Zaragoza (2009), The Probabilistic Relevance Framework: BM25 and Beyond
 */
export class Bm25Retriever implements Retriever {
  readonly version = "bm25-3";
  readonly capability = "development";
  private readonly workflowIds: readonly string[];
  private readonly idRanks: Int32Array;
  private readonly places: ReadonlyMap<string, number>;
  /** Gain per workflow and word. */
  private readonly gains: SparseRows;

  constructor(workflows: readonly Workflow[]) {
    this.workflowIds = workflows.map(({ workflow_id: workflowId }) => workflowId);
    this.idRanks = idRanksOf(this.workflowIds);
    const counted = TermCounts.of(
      workflows.map((workflow) => positiveParts(workflow).flatMap(({ text }) => wordsOf(text))),
    );
    const { vocabulary, rows } = counted.counted();
    this.places = new Map(vocabulary.map((word, place) => [word, place]));
    this.gains = gainsOf(rows, vocabulary.length);
  }

  /** BM25 score of every workflow, >= 0; 0 if it shares no word with the request. */
  rank(text: string): Promise<Ranking> {
    const scores = new Float64Array(this.workflowIds.length);
    for (const word of wordsOf(text)) {
      const place = this.places.get(word);
      if (place === undefined) continue;
      const { terms: documents, weights } = rowAt(this.gains, place);
      for (const [i, document] of documents.entries()) scores[document] = (scores[document] ?? 0) + (weights[i] ?? 0);
    }
    return Promise.resolve({ workflowIds: this.workflowIds, idRanks: this.idRanks, scores, truncated: false });
  }
}

/** Converts word counts per document to gains per word. */
function gainsOf(counts: SparseRows, words: number): SparseRows {
  const documents = rowCount(counts);
  const lengths = Array.from({ length: documents }, (_, document) =>
    rowAt(counts, document).weights.reduce((sum, count) => sum + count, 0),
  );
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents);
  const gains = transposed(counts, words);
  for (let word = 0; word < words; word += 1) {
    const { terms: holders, weights } = rowAt(gains, word);
    const idf = Math.log(1 + (documents - holders.length + 0.5) / (holders.length + 0.5));
    for (const [i, document] of holders.entries()) {
      const length = 1 - b + b * ((lengths[document] ?? mean) / mean);
      const count = weights[i] ?? 0;
      weights[i] = (idf * count * (k1 + 1)) / (count + k1 * length);
    }
  }
  return gains;
}
