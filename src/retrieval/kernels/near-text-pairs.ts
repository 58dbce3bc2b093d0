import { bestTexts, range } from "./rivals.js";
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
import { scaleToUnit } from "./term-index.js";
import type { TextKernels } from "./text-kernels.js";
import type { KernelChoice, Neighbourhood, TextLayout, TextPairs } from "./text-pairs.js";

/** Workflows whose texts may become rivals of one workflow. */
const nearWorkflows = 24;
/** Terms of a workflow by which near workflows are found: its heaviest ones. */
const workflowTerms = 48;

/** Compares only texts of near workflows: for an index whose texts are too many to compare all of them. */
export class NearTextPairs implements TextPairs {
  private readonly kernels: TextKernels;
  private readonly layout: TextLayout;
  private readonly idRanks: Int32Array;
  private readonly workflows: SparseRows;
  private readonly postings: SparseRows;
  private readonly scratch: Readonly<Record<"words" | "chars" | "soft", Float32Array>>;

  constructor(kernels: TextKernels, layout: TextLayout, idRanks: Int32Array) {
    const { words, chars, soft } = kernels.parts;
    this.kernels = kernels;
    this.layout = layout;
    this.idRanks = idRanks;
    this.workflows = workflowRows(soft.rows, layout.starts, soft.termCount);
    this.postings = transposed(this.workflows, soft.termCount);
    this.scratch = {
      words: new Float32Array(words.termCount),
      chars: new Float32Array(chars.termCount),
      soft: new Float32Array(soft.termCount),
    };
  }

  neighbourhood(workflow: number): Neighbourhood {
    const { starts, ranks, rivals: limit } = this.layout;
    const own = range(starts[workflow], starts[workflow + 1]);
    const near = this.nearest(workflow).flatMap((other) => range(starts[other], starts[other + 1]));
    const closeness = this.closeness(workflow, near);
    const rivals = bestTexts(near, (text) => closeness.get(text) ?? 0, ranks, limit);
    const texts = [...own, ...rivals];
    const blocks = this.blocks(texts);
    const similarity = (kernel: KernelChoice, place: number, other: number): number =>
      blocks[kernel][Math.max(place, other) * texts.length + Math.min(place, other)];
    return { own, rivals, similarity };
  }

  private nearest(workflow: number): readonly number[] {
    const similar = new Float32Array(rowCount(this.workflows));
    addProducts(this.postings, rowAt(this.workflows, workflow), 1, similar);
    const others: number[] = [];
    for (let other = 0; other < similar.length; other += 1) {
      if (other !== workflow && similar[other] > 0) others.push(other);
    }
    return bestTexts(others, (other) => similar[other], this.idRanks, nearWorkflows);
  }

  /** Soft cosine of each text with the workflow as a whole. */
  private closeness(workflow: number, texts: readonly number[]): ReadonlyMap<number, number> {
    const row = rowAt(this.workflows, workflow);
    scatter(row, 1, this.scratch.soft);
    const closeness = new Map(
      texts.map((text) => [text, gather(this.kernels.parts.soft.rows, text, this.scratch.soft)]),
    );
    scatter(row, 0, this.scratch.soft);
    return closeness;
  }

  /** Similarities of texts, shape (texts, texts) each, lower triangle. */
  private blocks(texts: readonly number[]): Readonly<Record<KernelChoice, Float32Array>> {
    const { parts, shares, wordWeight } = this.kernels;
    const n = texts.length;
    const blocks = {
      lexical: new Float32Array(n * n),
      soft: new Float32Array(n * n),
      dense: new Float32Array(n * n),
      mixed: new Float32Array(n * n),
    };
    for (const [i, text] of texts.entries()) {
      const rows = [
        rowAt(parts.words.rows, text),
        rowAt(parts.chars.rows, text),
        rowAt(parts.soft.rows, text),
      ] as const;
      scatter(rows[0], wordWeight, this.scratch.words);
      scatter(rows[1], 1 - wordWeight, this.scratch.chars);
      scatter(rows[2], 1, this.scratch.soft);
      for (let j = 0; j <= i; j += 1) {
        const other = texts[j];
        const lexical =
          gather(parts.words.rows, other, this.scratch.words) + gather(parts.chars.rows, other, this.scratch.chars);
        const soft = gather(parts.soft.rows, other, this.scratch.soft);
        const dense = parts.dense === null ? 0 : parts.dense.cosine(text, other);
        const cell = i * n + j;
        blocks.lexical[cell] = lexical;
        blocks.soft[cell] = soft;
        blocks.dense[cell] = dense;
        blocks.mixed[cell] = shares.lexical * lexical + shares.soft * soft + shares.dense * dense;
      }
      scatter(rows[0], 0, this.scratch.words);
      scatter(rows[1], 0, this.scratch.chars);
      scatter(rows[2], 0, this.scratch.soft);
    }
    return blocks;
  }
}

/** The heaviest terms of each workflow's summed text rows, norm 1. */
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
