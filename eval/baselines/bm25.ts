import type { Workflow } from "../../src/domain/catalog.js";
import { idRanksOf } from "../../src/retrieval/best-positions.js";
import { wordsOf } from "../../src/retrieval/lexical/words.js";
import type { Ranking, Retriever } from "../../src/retrieval/retriever.js";
import { positiveParts } from "../../src/serializer/contract-parts.js";

/** How fast repeated words saturate, and how much long documents are held back; the usual values. */
const k1 = 1.2;
const b = 0.75;

interface Posting {
  readonly document: number;
  readonly count: number;
}

/**
 * Okapi BM25 over one document for each workflow: its name, description, capabilities and examples joined. Words are
 * lower-case rough lemmas, as in the lexical retriever; a word asked twice counts twice. The inverse document frequency
 * is ln(1 + (N - n + 0.5) / (n + 0.5)), which cannot become negative. Nothing is fitted.
 * @see Robertson and Zaragoza (2009), The Probabilistic Relevance Framework: BM25 and Beyond
 */
export class Bm25Retriever implements Retriever {
  readonly version = "bm25-1";
  readonly capability = "development";
  private readonly workflowIds: readonly string[];
  private readonly idRanks: Int32Array;
  private readonly postings = new Map<string, Posting[]>();
  /** Length of each document over the mean length. */
  private readonly relativeLengths: readonly number[];

  constructor(workflows: readonly Workflow[]) {
    this.workflowIds = workflows.map(({ workflowId }) => workflowId);
    this.idRanks = idRanksOf(this.workflowIds);
    const documents = workflows.map((workflow) => positiveParts(workflow).flatMap(({ text }) => wordsOf(text)));
    for (const [document, words] of documents.entries()) this.add(document, words);
    const mean = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
    this.relativeLengths = documents.map(({ length }) => (mean === 0 ? 1 : length / mean));
  }

  /** BM25 of every workflow, at least 0; 0 where no word is shared. */
  rank(text: string): Promise<Ranking> {
    const scores = new Float64Array(this.workflowIds.length);
    for (const word of wordsOf(text)) this.addScores(word, scores);
    return Promise.resolve({ workflowIds: this.workflowIds, idRanks: this.idRanks, scores, truncated: false });
  }

  private add(document: number, words: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const postings = this.postings.get(word) ?? [];
      postings.push({ document, count });
      this.postings.set(word, postings);
    }
  }

  private addScores(word: string, scores: Float64Array): void {
    const postings = this.postings.get(word) ?? [];
    const documents = this.workflowIds.length;
    const idf = Math.log(1 + (documents - postings.length + 0.5) / (postings.length + 0.5));
    for (const { document, count } of postings) {
      const length = 1 - b + b * (this.relativeLengths[document] ?? 1);
      const gain = (idf * count * (k1 + 1)) / (count + k1 * length);
      scores[document] = (scores[document] ?? 0) + gain;
    }
  }
}
