import { kernelNames, type KernelName, type TextKernels } from "./text-kernels.js";
import type { LocalTexts } from "./local-ridge.js";
import { bestTexts, range } from "./rivals.js";

/** A similarity alone, or the weighted mixture. */
export type KernelChoice = KernelName | "mixed";

/** Inputs to a workflow's ridges: its texts, its rivals (nearest first), and how similar they are. */
export interface Neighbourhood extends LocalTexts {
  /** @param place, other  places in own texts followed by rivals */
  readonly similarity: (kernel: KernelChoice, place: number, other: number) => number;
}

/** Finds the rivals of a workflow and compares the texts. */
export interface TextPairs {
  neighbourhood(workflow: number): Neighbourhood;
}

export interface TextLayout {
  /** Texts of workflow w lie at starts[w] to starts[w + 1]. */
  readonly starts: Int32Array;
  /** Tie-break between equally similar texts, independent of catalog order. */
  readonly ranks: Int32Array;
  /** Rivals at most. */
  readonly rivals: number;
}

/** Texts of the index whose similarities are computed in one block. */
const rowsPerBlock = 64;

/** Every similarity of a small index at once: shape (texts, texts), float32. */
export class AllTextPairs implements TextPairs {
  private readonly matrices: Readonly<Record<KernelChoice, Float32Array>>;
  private readonly layout: TextLayout;

  private constructor(matrices: Readonly<Record<KernelChoice, Float32Array>>, layout: TextLayout) {
    this.matrices = matrices;
    this.layout = layout;
  }

  static async create(kernels: TextKernels, layout: TextLayout, pause: () => Promise<void>): Promise<AllTextPairs> {
    const { textCount, shares } = kernels;
    const cells = textCount * textCount;
    const matrices = {
      lexical: new Float32Array(cells),
      soft: new Float32Array(cells),
      dense: new Float32Array(cells),
      mixed: new Float32Array(cells),
    };
    for (let from = 0; from < textCount; from += rowsPerBlock) {
      const to = Math.min(textCount, from + rowsPerBlock);
      const block = await kernels.textSimilarities(range(from, to));
      for (const name of kernelNames) matrices[name].set(block[name], from * textCount);
      for (let i = from * textCount; i < to * textCount; i += 1) {
        const lexical = shares.lexical * matrices.lexical[i];
        const soft = shares.soft * matrices.soft[i];
        matrices.mixed[i] = lexical + soft + shares.dense * matrices.dense[i];
      }
      await pause();
    }
    return new AllTextPairs(matrices, layout);
  }

  neighbourhood(workflow: number): Neighbourhood {
    const { starts, ranks, rivals: limit } = this.layout;
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
    const rivals = bestTexts(others, (text) => nearest[text], ranks, limit);
    const texts = Int32Array.from([...own, ...rivals]);
    const similarity = (kernel: KernelChoice, place: number, other: number): number =>
      matrices[kernel][texts[place] * count + texts[other]];
    return { own, rivals, similarity };
  }
}
