/** Adam (Kingma and Ba 2015) with beta 0.9 and 0.999 over one flat parameter vector. */
export class Adam {
  private readonly mean: Float64Array;
  private readonly square: Float64Array;
  private steps = 0;

  constructor(size: number) {
    this.mean = new Float64Array(size);
    this.square = new Float64Array(size);
  }

  /** Changes `parameters` in place by one step against `gradient`. */
  step(parameters: Float64Array, gradient: Float64Array, rate: number): void {
    this.steps += 1;
    const meanScale = 1 / (1 - 0.9 ** this.steps);
    const squareScale = 1 / (1 - 0.999 ** this.steps);
    for (let i = 0; i < parameters.length; i += 1) {
      const g = gradient[i];
      const mean = 0.9 * this.mean[i] + 0.1 * g;
      const square = 0.999 * this.square[i] + 0.001 * g * g;
      this.mean[i] = mean;
      this.square[i] = square;
      parameters[i] -= (rate * mean * meanScale) / (Math.sqrt(square * squareScale) + 1e-8);
    }
  }
}
