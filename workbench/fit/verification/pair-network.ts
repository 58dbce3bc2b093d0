import { floatMatrix, type Graph } from "../../../src/inference/onnx-graph.js";

/** Sizes of the network: evidence -> standardised -> tanh hidden layer -> logits of three classes. */
export interface NetworkShape {
  readonly features: number;
  readonly hidden: number;
  readonly classes: number;
}

/** Mean and standard deviation of each evidence column. */
export interface Standardisation {
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
}

/** Offsets of the blocks inside the flat parameter vector. */
interface Layout {
  readonly hiddenBias: number;
  readonly outputWeights: number;
  readonly outputBias: number;
  readonly size: number;
}

/** Two-layer perceptron with its parameters in one flat vector: [F x H], [H], [H x C], [C]. */
export class PairNetwork {
  readonly shape: NetworkShape;
  readonly parameters: Float64Array;
  private readonly layout: Layout;

  /** @param uniform  random numbers in [0, 1) for the starting weights (Glorot uniform) */
  constructor(shape: NetworkShape, uniform: () => number) {
    this.shape = shape;
    const hiddenBias = shape.features * shape.hidden;
    const outputWeights = hiddenBias + shape.hidden;
    const outputBias = outputWeights + shape.hidden * shape.classes;
    this.layout = { hiddenBias, outputWeights, outputBias, size: outputBias + shape.classes };
    this.parameters = new Float64Array(this.layout.size);
    const fill = (from: number, to: number, fanIn: number, fanOut: number): void => {
      const limit = Math.sqrt(6 / (fanIn + fanOut));
      for (let i = from; i < to; i += 1) this.parameters[i] = (2 * uniform() - 1) * limit;
    };
    fill(0, hiddenBias, shape.features, shape.hidden);
    fill(outputWeights, outputBias, shape.hidden, shape.classes);
  }

  /** Weight decay applies to weights, not to biases. */
  isWeight(parameter: number): boolean {
    const { hiddenBias, outputWeights, outputBias } = this.layout;
    return parameter < hiddenBias || (parameter >= outputWeights && parameter < outputBias);
  }

  /** Logits of one standardised row; `hidden` receives the activations. */
  forward(row: Float64Array, hidden: Float64Array, logits: Float64Array): void {
    const { features, hidden: width, classes } = this.shape;
    const p = this.parameters;
    for (let j = 0; j < width; j += 1) {
      let sum = p[this.layout.hiddenBias + j];
      for (let f = 0; f < features; f += 1) sum += row[f] * p[f * width + j];
      hidden[j] = Math.tanh(sum);
    }
    for (let c = 0; c < classes; c += 1) {
      let sum = p[this.layout.outputBias + c];
      for (let j = 0; j < width; j += 1) {
        sum += hidden[j] * p[this.layout.outputWeights + j * classes + c];
      }
      logits[c] = sum;
    }
  }

  /** Adds the gradient of one row to `gradient`, given the loss gradient of its logits. */
  backward(row: Float64Array, hidden: Float64Array, lossGradient: Float64Array, gradient: Float64Array): void {
    const { features, hidden: width, classes } = this.shape;
    const { hiddenBias, outputWeights, outputBias } = this.layout;
    const p = this.parameters;
    const add = (index: number, value: number): void => {
      gradient[index] += value;
    };
    for (let c = 0; c < classes; c += 1) add(outputBias + c, lossGradient[c]);
    for (let j = 0; j < width; j += 1) {
      const activation = hidden[j];
      let back = 0;
      for (let c = 0; c < classes; c += 1) {
        const g = lossGradient[c];
        add(outputWeights + j * classes + c, g * activation);
        back += g * p[outputWeights + j * classes + c];
      }
      back *= 1 - activation * activation;
      add(hiddenBias + j, back);
      for (let f = 0; f < features; f += 1) add(f * width + j, back * row[f]);
    }
  }

  /** The network whose logits are the mean of those of networks of one shape: their hidden layers side by side. */
  static mean(networks: readonly PairNetwork[]): PairNetwork {
    const { features, hidden: width, classes } = networks[0].shape;
    const mean = new PairNetwork({ features, hidden: width * networks.length, classes }, () => 0);
    for (const [place, { layout, parameters }] of networks.entries()) {
      const from = place * width;
      for (let f = 0; f < features; f += 1) {
        mean.parameters.set(parameters.subarray(f * width, (f + 1) * width), f * mean.shape.hidden + from);
      }
      mean.parameters.set(parameters.subarray(layout.hiddenBias, layout.outputWeights), mean.layout.hiddenBias + from);
      const output = parameters.subarray(layout.outputWeights).map((weight) => weight / networks.length);
      mean.parameters.set(output.subarray(0, width * classes), mean.layout.outputWeights + from * classes);
      for (let c = 0; c < classes; c += 1) {
        const bias = mean.layout.outputBias + c;
        mean.parameters[bias] += output[width * classes + c];
      }
    }
    return mean;
  }

  /** The network with its standardisation as one ONNX graph: `evidence` [n, F] -> `logits` [n, C]. */
  toGraph(standardisation: Standardisation): Graph {
    const { features, hidden, classes } = this.shape;
    const { hiddenBias, outputWeights, outputBias, size } = this.layout;
    const block = (from: number, to: number): Float32Array => Float32Array.from(this.parameters.subarray(from, to));
    const scale = Float32Array.from(standardisation.deviation, (deviation) => 1 / deviation);
    return {
      name: "pair_verifier",
      inputs: [floatMatrix("evidence", features)],
      outputs: [floatMatrix("logits", classes)],
      constants: [
        { name: "mean", dimensions: [features], values: Float32Array.from(standardisation.mean) },
        { name: "scale", dimensions: [features], values: scale },
        { name: "hidden_weights", dimensions: [features, hidden], values: block(0, hiddenBias) },
        { name: "hidden_bias", dimensions: [hidden], values: block(hiddenBias, outputWeights) },
        { name: "output_weights", dimensions: [hidden, classes], values: block(outputWeights, outputBias) },
        { name: "output_bias", dimensions: [classes], values: block(outputBias, size) },
      ],
      nodes: [
        { operator: "Sub", inputs: ["evidence", "mean"], outputs: ["centred"] },
        { operator: "Mul", inputs: ["centred", "scale"], outputs: ["standardised"] },
        { operator: "MatMul", inputs: ["standardised", "hidden_weights"], outputs: ["hidden_product"] },
        { operator: "Add", inputs: ["hidden_product", "hidden_bias"], outputs: ["hidden_sum"] },
        { operator: "Tanh", inputs: ["hidden_sum"], outputs: ["hidden"] },
        { operator: "MatMul", inputs: ["hidden", "output_weights"], outputs: ["output_product"] },
        { operator: "Add", inputs: ["output_product", "output_bias"], outputs: ["logits"] },
      ],
    };
  }
}
