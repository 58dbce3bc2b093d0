/** Weights of the texts that decide the score of each workflow: those of w lie at starts[w] to starts[w + 1]. */
export interface HeadWeights {
  readonly starts: Int32Array;
  readonly texts: Int32Array;
  /** Weights of the texts under each kernel. */
  readonly weights: readonly Float32Array[];
}

/** Collects the weights of one workflow after another, under as many kernels as are given each time. */
export class HeadBuilder {
  private readonly starts: number[] = [0];
  private readonly texts: number[] = [];
  private readonly weights: number[][];

  constructor(kernels: number) {
    this.weights = Array.from({ length: kernels }, () => []);
  }

  /** @param weights  of the texts under each kernel */
  add(texts: readonly number[], weights: readonly Float64Array[]): void {
    for (const text of texts) this.texts.push(text);
    for (const [kernel, own] of weights.entries()) for (const weight of own) this.weights[kernel]?.push(weight);
    this.starts.push(this.texts.length);
  }

  head(): HeadWeights {
    return {
      starts: Int32Array.from(this.starts),
      texts: Int32Array.from(this.texts),
      weights: this.weights.map((weights) => Float32Array.from(weights)),
    };
  }
}

const nothing = new Float32Array();

/** Score of each workflow under the first kernel, shape (workflows). @param values  kernel values of all texts */
export function headScores({ starts, texts, weights }: HeadWeights, values: Float32Array): Float64Array {
  const [own = nothing] = weights;
  const scores = new Float64Array(starts.length - 1);
  for (let workflow = 0; workflow < scores.length; workflow += 1) {
    const end = starts[workflow + 1];
    let sum = 0;
    for (let i = starts[workflow]; i < end; i += 1) {
      sum += own[i] * values[texts[i]];
    }
    scores[workflow] = sum;
  }
  return scores;
}

/** The same for the first three kernels in one pass over the texts. @param values  kernel values under each */
export function headScoresOfThree(
  { starts, texts, weights }: HeadWeights,
  values: readonly Float32Array[],
): readonly Float64Array[] {
  const [weights1 = nothing, weights2 = nothing, weights3 = nothing] = weights;
  const [values1 = nothing, values2 = nothing, values3 = nothing] = values;
  const workflows = starts.length - 1;
  const scores = [new Float64Array(workflows), new Float64Array(workflows), new Float64Array(workflows)] as const;
  for (let workflow = 0; workflow < workflows; workflow += 1) {
    const end = starts[workflow + 1];
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    for (let i = starts[workflow]; i < end; i += 1) {
      const text = texts[i];
      sum1 += weights1[i] * values1[text];
      sum2 += weights2[i] * values2[text];
      sum3 += weights3[i] * values3[text];
    }
    scores[0][workflow] = sum1;
    scores[1][workflow] = sum2;
    scores[2][workflow] = sum3;
  }
  return scores;
}
