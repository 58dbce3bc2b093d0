import type { RunScope } from "../../domain/run-scope.js";
import type { Ranking, Retriever } from "../retriever.js";

/** The two retrievers of a fusion; both rank the same workflows in the same order. */
export interface FusedParts {
  readonly encoder: Retriever;
  readonly wordKernels: Retriever;
}

/** `encoderWeight` of the encoder's score and the rest of the word kernels', workflow by workflow. */
export function fuseScores(encoder: Float64Array, wordKernels: Float64Array, encoderWeight: number): Float64Array {
  return encoder.map((score, position) => encoderWeight * score + (1 - encoderWeight) * wordKernels[position]);
}

/** A sentence encoder and the word kernels as one retriever: a weighted mean of their scores. */
export class FusedRetriever implements Retriever {
  readonly version: string;
  readonly capability: Retriever["capability"];
  private readonly encoderWeight: number;
  private readonly parts: FusedParts;

  constructor(
    model: Pick<Retriever, "version" | "capability"> & { readonly encoderWeight: number },
    parts: FusedParts,
  ) {
    this.version = model.version;
    this.capability = model.capability;
    this.encoderWeight = model.encoderWeight;
    this.parts = parts;
  }

  async rank(text: string, scope: RunScope): Promise<Ranking> {
    const { encoder, wordKernels } = this.parts;
    const [dense, words] = await Promise.all([encoder.rank(text, scope), wordKernels.rank(text, scope)]);
    return {
      ...words,
      scores: fuseScores(dense.scores, words.scores, this.encoderWeight),
      truncated: dense.truncated || words.truncated,
    };
  }
}
