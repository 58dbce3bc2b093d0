import { type RunScope, unbounded } from "../../domain/run-scope.js";
import type { ModelHost } from "../../inference/model-host.js";
import type { WordVectors } from "../words/word-vectors.js";
import { Neighbours, type NeighbourSettings, unitVector } from "./neighbours.js";
import {
  addProducts,
  rowAt,
  rowCount,
  type SparseRow,
  type SparseRows,
  SparseRowsBuilder,
  transposed,
} from "./sparse-rows.js";
import { inverseFrequencies, scaleToUnit, type TermCounts } from "./term-index.js";

/** Cached expansions of words outside the catalog; the oldest is evicted first. */
const keptExpansions = 8192;
/** Words whose neighbours are looked for in one run. */
const wordsPerRun = 256;
const nothing: SparseRow = { terms: new Int32Array(), weights: new Float32Array() };

export interface SoftSource {
  readonly vectors: WordVectors | null;
  readonly settings: NeighbourSettings;
  readonly pool: ModelHost;
  /** Called between blocks of the build. */
  readonly pause: () => Promise<void>;
}

/**
 * Cosine of word rows after each word is expanded by its nearest catalog words; weights are idf of the catalog.
 * Without vectors a word expands only to itself.
 */
export class SoftIndex {
  readonly termCount: number;
  /** Rows of the texts, norm 1. */
  readonly rows: SparseRows;
  private readonly places: ReadonlyMap<string, number>;
  private readonly idf: Float32Array;
  private readonly postings: SparseRows;
  private readonly neighbours: Neighbours | null;
  private readonly vectors: WordVectors | null;
  /** Expansion of each word of the catalog. */
  private readonly own: readonly SparseRow[];
  private readonly others = new Map<string, SparseRow>();
  /** Weights of the row that is being made; all zero between rows. */
  private readonly largest: Float32Array;

  private constructor(vocabulary: readonly string[], counts: SparseRows, source: SoftSource, found: Expansions) {
    this.termCount = vocabulary.length;
    this.places = new Map(vocabulary.map((lemma, place) => [lemma, place]));
    this.idf = inverseFrequencies(counts, vocabulary.length);
    this.largest = new Float32Array(vocabulary.length);
    this.vectors = source.vectors;
    this.neighbours = found.neighbours;
    this.own = found.own;
    const builder = new SparseRowsBuilder();
    for (let text = 0; text < rowCount(counts); text += 1) {
      const { terms } = rowAt(counts, text);
      const row = this.expanded(Array.from(terms, (term) => this.own[term] ?? nothing));
      builder.add(row.terms, row.weights);
    }
    this.rows = builder.rows();
    this.postings = transposed(this.rows, vocabulary.length);
  }

  /** @param counted  lemmas of each text */
  static async create(counted: TermCounts, source: SoftSource): Promise<SoftIndex> {
    const { vocabulary, rows } = counted.sorted();
    return new SoftIndex(vocabulary, rows, source, await expansionsOf(vocabulary, source));
  }

  /** Row of a new text, norm 1 or empty. */
  async rowOf(lemmas: readonly string[], scope: RunScope): Promise<SparseRow> {
    const fresh = await this.expansionsOutside(lemmas, scope);
    const expansions = lemmas.map((lemma) => {
      const place = this.places.get(lemma);
      return (place === undefined ? fresh.get(lemma) : this.own[place]) ?? nothing;
    });
    return this.expanded(expansions);
  }

  /** Adds `scale` times the cosine with every text to `into`, shape (texts). */
  addCosines(row: SparseRow, scale: number, into: Float32Array): void {
    addProducts(this.postings, row, scale, into);
  }

  /** Words of the catalog. */
  words(): Iterable<string> {
    return this.places.keys();
  }

  knows(lemma: string): boolean {
    return this.places.has(lemma);
  }

  /** Expansions of the words that the catalog lacks. */
  private async expansionsOutside(lemmas: readonly string[], scope: RunScope): Promise<ReadonlyMap<string, SparseRow>> {
    const expansions = new Map<string, SparseRow>();
    const wanted = new Map<string, Float32Array>();
    for (const lemma of lemmas) {
      if (this.neighbours === null || this.vectors === null || this.places.has(lemma)) continue;
      const kept = this.others.get(lemma);
      if (kept !== undefined) {
        expansions.set(lemma, kept);
        continue;
      }
      const unit = unitVector(this.vectors, lemma);
      if (unit !== null) wanted.set(lemma, unit);
    }
    if (wanted.size === 0 || this.neighbours === null) return expansions;
    const found = await this.neighbours.find([...wanted.values()], [], scope);
    for (const [index, lemma] of [...wanted.keys()].entries()) {
      const expansion = found[index] ?? nothing;
      expansions.set(lemma, expansion);
      this.keep(lemma, expansion);
    }
    return expansions;
  }

  private keep(lemma: string, expansion: SparseRow): void {
    if (this.others.size >= keptExpansions) {
      const [oldest] = this.others.keys();
      if (oldest !== undefined) this.others.delete(oldest);
    }
    this.others.set(lemma, expansion);
  }

  /** The largest weight of each term in any expansion, times idf, scaled to norm 1. */
  private expanded(expansions: readonly SparseRow[]): SparseRow {
    const touched: number[] = [];
    for (const { terms, weights } of expansions) {
      for (let i = 0; i < terms.length; i += 1) {
        const term = terms[i];
        const weight = weights[i];
        const most = this.largest[term];
        if (most === 0) touched.push(term);
        if (weight > most) this.largest[term] = weight;
      }
    }
    const terms = Int32Array.from(touched).sort();
    const weights = new Float32Array(terms.length);
    for (let i = 0; i < terms.length; i += 1) {
      const term = terms[i];
      weights[i] = this.largest[term] * this.idf[term];
      this.largest[term] = 0;
    }
    scaleToUnit(weights);
    return { terms, weights };
  }
}

interface Expansions {
  readonly own: readonly SparseRow[];
  readonly neighbours: Neighbours | null;
}

async function expansionsOf(vocabulary: readonly string[], source: SoftSource): Promise<Expansions> {
  const own: SparseRow[] = vocabulary.map((_, place) => ({
    terms: Int32Array.of(place),
    weights: Float32Array.of(1),
  }));
  const { vectors, settings, pool } = source;
  const neighbours = vectors === null ? null : await Neighbours.of(vocabulary, vectors, settings, pool);
  if (vectors === null || neighbours === null) return { own, neighbours };
  const known = vocabulary.flatMap((lemma, place) => {
    const unit = unitVector(vectors, lemma);
    return unit === null ? [] : [{ place, unit }];
  });
  for (let from = 0; from < known.length; from += wordsPerRun) {
    const block = known.slice(from, from + wordsPerRun);
    const units = block.map(({ unit }) => unit);
    const places = block.map(({ place }) => place);
    const found = await neighbours.find(units, places, unbounded);
    for (const [index, place] of places.entries()) own[place] = found[index] ?? nothing;
    await source.pause();
  }
  return { own, neighbours };
}
