import type { SharedRows } from "../../inference/shared-rows.js";
import { meansOf } from "./near-cosines.js";
import { cosineOf, type SimilarityIndex, type SimilarityName, similarityNames } from "./similarity-index.js";
import {
  addProducts,
  gather,
  rowAt,
  rowCount,
  scatter,
  type SparseRows,
  SparseRowsBuilder,
  transposed,
} from "./sparse-rows.js";
import type { LexicalRows } from "./lexical-index.js";
import { scaleToUnit } from "./term-index.js";
import { kernelOf, type LocalTexts, type WriteKernel } from "./head.js";

/** One of the similarities, or their weighted mixture. */
export type SimilarityChoice = SimilarityName | "mixed";

/** Inputs to a workflow's ridge regressions: its texts, its hard negatives (nearest first), and their kernels. */
export interface Neighbourhood extends LocalTexts {
  /** Kernel of a similarity over the workflow's texts followed by the negatives. */
  readonly kernel: (choice: SimilarityChoice) => WriteKernel;
}

export interface TextPairs {
  neighbourhood(workflow: number): Neighbourhood;
}

export interface TextLayout {
  /** The texts of workflow w are at starts[w] up to (not including) starts[w + 1]. */
  readonly starts: Int32Array;
  /** Breaks ties between equally similar texts, independently of the catalog order. */
  readonly ranks: Int32Array;
  /** Maximum number of hard negatives. */
  readonly negatives: number;
  readonly gamma: number;
}

/** Number of texts whose similarities are computed in one block. */
const rowsPerBlock = 64;

/**
 * Maximum number of texts for which the kernel of every pair is stored, in 27 MiB; workflows share most of their
 * negatives.
 */
const keptKernels = 1536;

/** Computes every similarity of a small index at once: shape (texts, texts), float32. */
export class AllTextPairs implements TextPairs {
  private readonly matrices: Readonly<Record<SimilarityChoice, Float32Array>>;
  /** Lower triangles, row by row; null for a larger index. */
  private readonly kernels: Readonly<Record<SimilarityChoice, Float64Array>> | null;
  private readonly layout: TextLayout;

  private constructor(matrices: Readonly<Record<SimilarityChoice, Float32Array>>, layout: TextLayout) {
    this.matrices = matrices;
    this.layout = layout;
    const kept = (choice: SimilarityChoice): Float64Array => kernelMatrix(matrices[choice], layout);
    const isSmall = layout.ranks.length <= keptKernels;
    this.kernels = isSmall ? { mixed: kept("mixed"), encoder: kept("encoder"), lexical: kept("lexical") } : null;
  }

  static async create(index: SimilarityIndex, layout: TextLayout, pause: () => Promise<void>): Promise<AllTextPairs> {
    const { textCount, shares } = index;
    const cells = textCount * textCount;
    const matrices = {
      encoder: new Float32Array(cells),
      lexical: new Float32Array(cells),
      mixed: new Float32Array(cells),
    };
    const rows = index.lexical.textRows();
    for (let from = 0; from < textCount; from += rowsPerBlock) {
      const to = Math.min(textCount, from + rowsPerBlock);
      const block = index.textSimilarities(rows, from, to);
      for (const name of similarityNames) matrices[name].set(block[name], from * textCount);
      for (let i = from * textCount; i < to * textCount; i += 1) {
        matrices.mixed[i] = shares.encoder * matrices.encoder[i] + shares.lexical * matrices.lexical[i];
      }
      await pause();
    }
    return new AllTextPairs(matrices, layout);
  }

  neighbourhood(workflow: number): Neighbourhood {
    const { starts, ranks, negatives: limit } = this.layout;
    const { matrices } = this;
    const count = ranks.length;
    const [from, to] = [starts[workflow], starts[workflow + 1]];
    const nearest = new Float32Array(count).fill(Number.NEGATIVE_INFINITY);
    for (let own = from; own < to; own += 1) {
      for (let text = 0; text < count; text += 1) {
        const similarity = matrices.mixed[own * count + text];
        if (similarity > nearest[text]) nearest[text] = similarity;
      }
    }
    const own = range(from, to);
    const others = [...range(0, from), ...range(to, count)];
    const negatives = bestTexts(others, (text) => nearest[text], ranks, limit);
    const texts = Int32Array.from([...own, ...negatives]);
    return { own, negatives, kernel: (choice) => (into, n) => this.writeKernel(choice, texts.subarray(0, n), into) };
  }

  private writeKernel(choice: SimilarityChoice, texts: Int32Array, into: Float64Array): void {
    const { ranks, gamma } = this.layout;
    const { length } = texts;
    const kernel = this.kernels?.[choice];
    const similarities = this.matrices[choice];
    for (let place = 0; place < length; place += 1) {
      const text = texts[place];
      for (let other = 0, to = place * length; other <= place; other += 1, to += 1) {
        const against = texts[other];
        if (kernel === undefined) into[to] = kernelOf(similarities[text * ranks.length + against], gamma);
        else into[to] = text >= against ? kernel[startOfRow(text) + against] : kernel[startOfRow(against) + text];
      }
    }
  }
}

function kernelMatrix(similarities: Float32Array, { ranks, gamma }: TextLayout): Float64Array {
  const count = ranks.length;
  const kernel = new Float64Array(startOfRow(count));
  for (let text = 0; text < count; text += 1) {
    const start = startOfRow(text);
    for (let other = 0; other <= text; other += 1) {
      kernel[start + other] = kernelOf(similarities[text * count + other], gamma);
    }
  }
  return kernel;
}

/** Offset of a row in a lower triangle. */
const startOfRow = (row: number): number => (row * (row + 1)) / 2;

/** Number of workflows whose texts may become hard negatives of a workflow. */
const nearWorkflows = 24;
/** Number of a workflow's heaviest terms by which near workflows are found. */
const workflowTerms = 48;

/** Compares only texts of near workflows, for an index with too many texts to compare all of them. */
export class NearTextPairs implements TextPairs {
  private readonly index: SimilarityIndex;
  private readonly layout: TextLayout;
  private readonly idRanks: Int32Array;
  private readonly rows: LexicalRows;
  private readonly workflows: SparseRows;
  private readonly postings: SparseRows;
  private readonly scratch: Readonly<Record<"words" | "chars", Float32Array>>;
  /** Mean vector of each workflow; null without an encoder. */
  private readonly centroids: SharedRows | null;

  constructor(index: SimilarityIndex, layout: TextLayout, idRanks: Int32Array) {
    const { words, chars } = index.lexical;
    this.index = index;
    this.layout = layout;
    this.idRanks = idRanks;
    this.rows = index.lexical.textRows();
    this.workflows = workflowRows(this.rows.words, layout.starts, words.termCount);
    this.postings = transposed(this.workflows, words.termCount);
    this.scratch = { words: new Float32Array(words.termCount), chars: new Float32Array(chars.termCount) };
    this.centroids = centroidsOf(index, layout.starts);
  }

  neighbourhood(workflow: number): Neighbourhood {
    const { starts, ranks, negatives: limit } = this.layout;
    const own = range(starts[workflow], starts[workflow + 1]);
    const near = this.nearest(workflow).flatMap((other) => range(starts[other], starts[other + 1]));
    const closeness = this.closeness(own, near);
    const negatives = bestTexts(near, (text) => closeness.get(text) ?? 0, ranks, limit);
    const texts = [...own, ...negatives];
    const blocks = this.blocks(texts);
    const { gamma } = this.layout;
    const kernel =
      (choice: SimilarityChoice): WriteKernel =>
      (into, n) => {
        for (let place = 0; place < n; place += 1) {
          for (let other = 0; other <= place; other += 1) {
            into[place * n + other] = kernelOf(blocks[choice][place * texts.length + other], gamma);
          }
        }
      };
    return { own, negatives, kernel };
  }

  private nearest(workflow: number): readonly number[] {
    const similar = new Float32Array(rowCount(this.workflows));
    addProducts(this.postings, rowAt(this.workflows, workflow), this.index.shares.lexical, similar);
    this.addCentroidCosines(workflow, similar);
    const others: number[] = [];
    for (let other = 0; other < similar.length; other += 1) {
      if (other !== workflow && similar[other] > 0) others.push(other);
    }
    return bestTexts(others, (other) => similar[other], this.idRanks, nearWorkflows);
  }

  private addCentroidCosines(workflow: number, into: Float32Array): void {
    const { centroids, index } = this;
    if (centroids === null) return;
    const cosines = new Float32Array(into.length);
    centroids.products(centroids.row(workflow), 0, centroids.rows, cosines);
    for (let other = 0; other < into.length; other += 1) into[other] += index.shares.encoder * cosines[other];
  }

  /** For each text, the largest similarity with one of the workflow's own texts. */
  private closeness(own: readonly number[], texts: readonly number[]): ReadonlyMap<number, number> {
    const { encoded, shares } = this.index;
    const closeness = new Map<number, number>();
    for (const text of own) {
      this.scatterTerms(text, 1);
      for (const other of texts) {
        const cosine = encoded === null ? 0 : cosineOf(encoded, text, other);
        const value = shares.lexical * this.gatherTerms(other) + shares.encoder * cosine;
        if (value > (closeness.get(other) ?? Number.NEGATIVE_INFINITY)) closeness.set(other, value);
      }
      this.scatterTerms(text, 0);
    }
    return closeness;
  }

  /** Similarities between texts, each of shape (texts, texts), lower triangle. */
  private blocks(texts: readonly number[]): Readonly<Record<SimilarityChoice, Float32Array>> {
    const { encoded, shares } = this.index;
    const n = texts.length;
    const blocks = {
      encoder: new Float32Array(n * n),
      lexical: new Float32Array(n * n),
      mixed: new Float32Array(n * n),
    };
    for (const [i, text] of texts.entries()) {
      this.scatterTerms(text, 1);
      for (let j = 0; j <= i; j += 1) {
        const other = texts[j];
        const cell = i * n + j;
        blocks.lexical[cell] = this.gatherTerms(other);
        blocks.encoder[cell] = encoded === null ? 0 : cosineOf(encoded, text, other);
        blocks.mixed[cell] = shares.lexical * blocks.lexical[cell] + shares.encoder * blocks.encoder[cell];
      }
      this.scatterTerms(text, 0);
    }
    return blocks;
  }

  /** Writes the terms of a text to the scratch rows, or clears them with scale 0. */
  private scatterTerms(text: number, scale: number): void {
    const { wordWeight } = this.index;
    scatter(rowAt(this.rows.words, text), scale * wordWeight, this.scratch.words);
    scatter(rowAt(this.rows.chars, text), scale * (1 - wordWeight), this.scratch.chars);
  }

  private gatherTerms(text: number): number {
    const { words, chars } = this.rows;
    return gather(words, text, this.scratch.words) + gather(chars, text, this.scratch.chars);
  }
}

function centroidsOf({ encoded }: SimilarityIndex, starts: Int32Array): SharedRows | null {
  if (encoded === null) return null;
  const centroids = meansOf(encoded.vectors, starts);
  for (let workflow = 0; workflow < centroids.rows; workflow += 1) scaleToUnit(centroids.row(workflow));
  return centroids;
}

/** The heaviest terms in the sum of each workflow's text rows, scaled to norm 1. */
function workflowRows(texts: SparseRows, starts: Int32Array, termCount: number): SparseRows {
  const sums = new Float32Array(termCount);
  const builder = new SparseRowsBuilder();
  for (let workflow = 0; workflow + 1 < starts.length; workflow += 1) {
    const terms = new Set<number>();
    for (const text of range(starts[workflow], starts[workflow + 1])) {
      const row = rowAt(texts, text);
      for (const [i, term] of row.terms.entries()) {
        terms.add(term);
        sums[term] += row.weights[i];
      }
    }
    const heaviest = [...terms].sort((a, b) => sums[b] - sums[a] || a - b).slice(0, workflowTerms);
    const chosen = Int32Array.from(heaviest).sort();
    const weights = Float32Array.from(chosen, (term) => sums[term]);
    scaleToUnit(weights);
    builder.add(chosen, weights);
    for (const term of terms) sums[term] = 0;
  }
  return builder.rows();
}

/** Selects the texts with the highest values, best first; ties are broken by rank. */
export function bestTexts(
  candidates: readonly number[],
  valueOf: (text: number) => number,
  rankOf: Int32Array,
  count: number,
): readonly number[] {
  const best: number[] = [];
  const values: number[] = [];
  for (const text of candidates) {
    const value = valueOf(text);
    const stands = (place: number): boolean => {
      const difference = value - values[place];
      return difference > 0 || (difference === 0 && rankOf[text] < rankOf[best[place]]);
    };
    if (best.length >= count && (count === 0 || !stands(count - 1))) continue;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stands(middle)) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, text);
    values.splice(low, 0, value);
    if (best.length <= count) continue;
    best.pop();
    values.pop();
  }
  return best;
}

/** Rank of each text when sorted by workflow id, then by position within the workflow. */
export function textRanks(idRanks: Int32Array, starts: Int32Array): Int32Array {
  const ranks = new Int32Array(starts.at(-1) ?? 0);
  const order = [...idRanks.keys()].sort((a, b) => idRanks[a] - idRanks[b]);
  let rank = 0;
  for (const workflow of order) {
    for (let text = starts[workflow]; text < starts[workflow + 1]; text += 1) {
      ranks[text] = rank;
      rank += 1;
    }
  }
  return ranks;
}

/** Integers from `from` (inclusive) to `to` (exclusive). */
export const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
