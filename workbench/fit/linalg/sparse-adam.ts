/** State of `SparseAdam`, row-major like its parameters. */
export interface AdamState {
  steps: number;
  readonly mean: Float32Array;
  readonly square: Float32Array;
}

/** Adam (Kingma and Ba 2015) with beta 0.9 and 0.999 that touches only rows with a gradient. */
export class SparseAdam {
  readonly state: AdamState;
  private readonly width: number;
  private readonly rate: number;

  /** @param state  zero-filled at the start, or the state of a fit to resume */
  constructor(width: number, rate: number, state: AdamState) {
    this.width = width;
    this.rate = rate;
    this.state = state;
  }

  /** One step against the gradients of some rows of `parameters`, in place. */
  step(parameters: Float32Array, gradients: ReadonlyMap<number, Float64Array>): void {
    const { mean, square } = this.state;
    this.state.steps += 1;
    const meanScale = 1 / (1 - 0.9 ** this.state.steps);
    const squareScale = 1 / (1 - 0.999 ** this.state.steps);
    for (const [row, gradient] of gradients) {
      for (let k = 0, at = row * this.width; k < this.width; k += 1, at += 1) {
        const g = gradient[k];
        const m = 0.9 * mean[at] + 0.1 * g;
        const s = 0.999 * square[at] + 0.001 * g * g;
        mean[at] = m;
        square[at] = s;
        const move = (this.rate * m * meanScale) / (Math.sqrt(s * squareScale) + 1e-8);
        parameters[at] -= move;
      }
    }
  }
}
