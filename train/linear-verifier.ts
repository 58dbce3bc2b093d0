import { SluiceError } from "../src/base/error.js";
import type { SeededRandom } from "../src/base/numbers/seeded-random.js";
import type { LinearWeights } from "../src/router/verification/linear-graph.js";
import type { LabelledPairs } from "./collect-pairs.js";

/** How closely a verifier keeps to its retriever. */
export interface LinearFitSettings {
  /** Penalty of the squared weights of the standardised features, per request. */
  readonly ridge: number;
  /** Share in the match score of a fit on the retrieval score alone, in [0, 1]. */
  readonly retrieverShare: number;
}

export const epochs = 12;
/** Number of requests per step. */
const batch = 64;
const learningRate = 0.01;
/** Ridge of the second regression, which only separates the two labels of a right candidate. */
const needsInputRidge = 1e-4;

/** Weights of the standardised features, followed by the bias. */
interface Weights {
  /** Weights for "this candidate is right", relative to the other candidates of the request and to "none". */
  readonly match: Float64Array;
  /** Weights for "an input is missing", given that the candidate is right. */
  readonly needsInput: Float64Array;
}

export interface LinearScorer extends Weights {
  readonly mean: Float64Array;
  /** Standard deviation of each column; 1 for a constant column. */
  readonly deviation: Float64Array;
  /** Cross-entropy over the requests in the last epoch, nats. */
  readonly loss: number;
}

const needsInputLabel = 1;

/**
 * Fits a conditional logit: the candidates of a request and "none of them" share one softmax, so that a score compares
 * a candidate with its competitors. A given share of it is the same fit on the first column alone, the retrieval score,
 * so that columns which mislead in another catalog do less harm. A second logistic regression, on the right candidates,
 * predicts whether an input is missing. Deterministic for equal pairs, settings and generator.
 * @param onEpoch  called with the number of the epoch and its mean cross-entropy
 * @throws {SluiceError} FIT_FAILED  no candidate is right, all are, or the loss is not finite
 * @see McFadden (1974), Conditional logit analysis of qualitative choice behavior
 */
export function fitLinearVerifier(
  pairs: LabelledPairs,
  settings: LinearFitSettings,
  random: SeededRandom,
  onEpoch: (epoch: number, loss: number) => void = () => undefined,
): LinearScorer {
  const count = pairs.labels.length;
  const matches = pairs.labels.filter((label) => label !== 0).length;
  if (matches === 0 || matches === count) {
    throw new SluiceError("FIT_FAILED", `verifier: ${matches} of ${count} pairs match; both kinds are needed`, {
      hint: "Add labelled requests of the catalog's workflows to the FIT fold.",
    });
  }
  const { mean, deviation, rows } = standardised(pairs);
  const requests = Array.from({ length: pairs.starts.length - 1 }, (_, request) => request);
  const { weights: all, loss } = descend(pairs.features + 1, requests, settings.ridge, random, onEpoch, {
    add: (request, weights, gradient) => addChoice(rows, pairs, request, weights, gradient),
  });
  const { weights: score } = descend(pairs.features + 1, requests, 0, random, () => undefined, {
    add: (request, weights, gradient) => {
      const added = addChoice(rows, pairs, request, weights, gradient);
      gradient.fill(0, 1, pairs.features);
      return added;
    },
  });
  const match = all.map((weight, f) => weight + settings.retrieverShare * (score[f] - weight));
  const right = Array.from(pairs.labels.keys()).filter((row) => pairs.labels[row] !== 0);
  const { weights: needsInput } = descend(pairs.features + 1, right, needsInputRidge, random, () => undefined, {
    add: (row, weights, gradient) => {
      const target = pairs.labels[row] === needsInputLabel ? 1 : 0;
      return addLogistic(rows, pairs.features, row, target, weights, gradient);
    },
  });
  return { mean, deviation, match, needsInput, loss };
}

export function linearWeights({ mean, deviation, match, needsInput }: LinearScorer): LinearWeights {
  const features = mean.length;
  const weights = new Float32Array(features * 2);
  for (let f = 0; f < features; f += 1) {
    weights[2 * f] = match[f];
    weights[2 * f + 1] = needsInput[f];
  }
  return {
    mean: Float32Array.from(mean),
    scale: Float32Array.from(deviation, (value) => 1 / value),
    weights,
    bias: Float32Array.of(match[features], needsInput[features]),
  };
}

function standardised({ values, features }: LabelledPairs) {
  const count = values.length / features;
  const mean = new Float64Array(features);
  const deviation = new Float64Array(features);
  for (let i = 0; i < values.length; i += 1) mean[i % features] += values[i] / count;
  for (let i = 0; i < values.length; i += 1) {
    deviation[i % features] += (values[i] - mean[i % features]) ** 2 / count;
  }
  for (let f = 0; f < features; f += 1) deviation[f] = deviation[f] > 1e-12 ? Math.sqrt(deviation[f]) : 1;
  const rows = Float32Array.from(values, (value, i) => (value - mean[i % features]) / deviation[i % features]);
  return { mean, deviation, rows };
}

interface Objective {
  /** Adds the gradient of one item to `gradient` and returns its loss. */
  readonly add: (item: number, weights: Float64Array, gradient: Float64Array) => number;
}

/** Mini-batch Adam with a decreasing learning rate. */
function descend(
  size: number,
  items: readonly number[],
  ridge: number,
  random: SeededRandom,
  onEpoch: (epoch: number, loss: number) => void,
  objective: Objective,
): { readonly weights: Float64Array; readonly loss: number } {
  const weights = new Float64Array(size);
  const gradient = new Float64Array(size);
  const adam = new Adam(size);
  let order = items;
  let loss = Number.NaN;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    order = random.shuffle(order);
    let sum = 0;
    for (let from = 0; from < order.length; from += batch) {
      const part = order.slice(from, from + batch);
      gradient.fill(0);
      for (const item of part) sum += objective.add(item, weights, gradient);
      for (let i = 0; i < size; i += 1) gradient[i] = gradient[i] / part.length + ridge * weights[i];
      adam.step(weights, gradient, learningRate * (1 - epoch / epochs));
    }
    loss = sum / order.length;
    if (!Number.isFinite(loss)) {
      throw new SluiceError("FIT_FAILED", `verifier: the loss is ${loss} after epoch ${epoch + 1}`);
    }
    onEpoch(epoch + 1, loss);
  }
  return { weights, loss };
}

function scoreOf(rows: Float32Array, features: number, row: number, weights: Float64Array): number {
  let sum = weights[features];
  for (let f = 0, at = row * features; f < features; f += 1, at += 1) sum += weights[f] * rows[at];
  return sum;
}

function addRow(rows: Float32Array, features: number, row: number, scale: number, into: Float64Array): void {
  for (let f = 0, at = row * features; f < features; f += 1, at += 1) into[f] += scale * rows[at];
  into[features] += scale;
}

/** Softmax over the candidates of a request and "none", whose score is 0. */
function addChoice(
  rows: Float32Array,
  { features, labels, starts }: LabelledPairs,
  request: number,
  weights: Float64Array,
  gradient: Float64Array,
): number {
  const [from, to] = [starts[request], starts[request + 1]];
  const scores = Float64Array.from({ length: to - from }, (_, i) => scoreOf(rows, features, from + i, weights));
  const top = Math.max(0, ...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - top), Math.exp(-top));
  let gold = 0;
  for (let i = 0; i < scores.length; i += 1) {
    const isGold = labels[from + i] !== 0;
    if (isGold) gold = scores[i];
    addRow(rows, features, from + i, Math.exp(scores[i] - top) / total - (isGold ? 1 : 0), gradient);
  }
  return Math.log(total) + top - gold;
}

function addLogistic(
  rows: Float32Array,
  features: number,
  row: number,
  target: number,
  weights: Float64Array,
  gradient: Float64Array,
): number {
  const score = scoreOf(rows, features, row, weights);
  addRow(rows, features, row, 1 / (1 + Math.exp(-score)) - target, gradient);
  return Math.log1p(Math.exp(-Math.abs(score))) + Math.max(0, score) - target * score;
}

/** Adam (Kingma and Ba 2015) with beta 0.9 and 0.999 over one flat parameter vector. */
class Adam {
  private readonly mean: Float64Array;
  private readonly square: Float64Array;
  private steps = 0;

  constructor(size: number) {
    this.mean = new Float64Array(size);
    this.square = new Float64Array(size);
  }

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
