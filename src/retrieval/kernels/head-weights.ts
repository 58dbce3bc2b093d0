/** Weights of the texts that decide the score of each workflow: those of w lie at starts[w] to starts[w + 1]. */
export interface HeadWeights {
  readonly starts: Int32Array;
  readonly texts: Int32Array;
  readonly weights: Float32Array;
}

/** Collects the weights of one workflow after another. */
export class HeadBuilder {
  private readonly starts: number[] = [0];
  private readonly texts: number[] = [];
  private readonly weights: number[] = [];

  add(texts: readonly number[], weights: Float64Array): void {
    for (const [i, text] of texts.entries()) {
      this.texts.push(text);
      this.weights.push(weights[i]);
    }
    this.starts.push(this.texts.length);
  }

  head(): HeadWeights {
    return {
      starts: Int32Array.from(this.starts),
      texts: Int32Array.from(this.texts),
      weights: Float32Array.from(this.weights),
    };
  }
}

/** Score of each workflow, shape (workflows). @param values  kernel values of all texts */
export function headScores({ starts, texts, weights }: HeadWeights, values: Float32Array): Float64Array {
  const scores = new Float64Array(starts.length - 1);
  for (let workflow = 0; workflow < scores.length; workflow += 1) {
    const end = starts[workflow + 1];
    let sum = 0;
    for (let i = starts[workflow]; i < end; i += 1) {
      sum += weights[i] * values[texts[i]];
    }
    scores[workflow] = sum;
  }
  return scores;
}
