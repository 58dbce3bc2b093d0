import { unbounded } from "../../../src/domain/run-scope.js";
import type { LoadedModel } from "../../../src/inference/model-host.js";
import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import type { Tokens } from "./corpus.js";
import type { SparseAdam } from "../linalg/sparse-adam.js";
import type { BlockKind, PairBlock, TextPair } from "./training-pairs.js";

export interface ContrastiveSettings {
  readonly steps: number;
  /** Pairs of each block in one step. */
  readonly pairs: Readonly<Record<BlockKind, number>>;
  /** Factor of the cosines in the softmax. */
  readonly scale: number;
  /** Share of each text's words that a step drops. */
  readonly dropout: number;
  /** Step size of Adam. */
  readonly rate: number;
}

/** Vectors under training. A text is the unit vector of the sum of `weights[row]` times the vector of each word. */
export interface TrainedVectors {
  readonly width: number;
  /** Shape (size, width), row-major; changed in place. */
  readonly values: Float32Array;
  readonly weights: Float64Array;
}

export interface StepTools {
  /** See `contrastiveGraph`. */
  readonly graph: LoadedModel;
  readonly adam: SparseAdam;
  readonly random: SeededRandom;
}

/** One step on fresh pairs of every block; the mean loss, nats per pair. */
export async function contrastiveStep(
  vectors: TrainedVectors,
  sources: readonly PairBlock[],
  settings: ContrastiveSettings,
  { graph, adam, random }: StepTools,
): Promise<number> {
  const blocks = sources
    .map(({ kind, draw }) => draw(settings.pairs[kind], random))
    .filter((pairs) => pairs.length > 1);
  const total = blocks.reduce((sum, pairs) => sum + pairs.length, 0);
  const gradients = new Map<number, Float64Array>();
  let loss = 0;
  for (const pairs of blocks) {
    const encoded = encode(vectors, kept(pairs, settings.dropout, random));
    const matrix = { rows: pairs.length, columns: 2 * vectors.width, values: encoded.units };
    const result = (await graph.run({ kind: "matrix", matrix }, unbounded)).matrix.values;
    loss += propagate(vectors, encoded, result, { share: 1 / total, gradients }) / total;
  }
  adam.step(vectors.values, gradients);
  return loss;
}

/** Each word stays with probability 1 - dropout; at least one stays. */
function kept(pairs: readonly TextPair[], dropout: number, random: SeededRandom): readonly TextPair[] {
  const some = (tokens: Tokens): Tokens => {
    const left = tokens.filter(() => random.uniform() >= dropout);
    return left.length > 0 ? left : tokens.slice(0, 1);
  };
  return pairs.map(({ left, right }) => ({ left: some(left), right: some(right) }));
}

interface Encoded {
  /** Left and right text of each pair in turn. */
  readonly texts: readonly Tokens[];
  /** Their unit vectors, shape (pairs, 2 width). */
  readonly units: Float32Array;
  readonly lengths: Float64Array;
}

function encode({ width, values, weights }: TrainedVectors, pairs: readonly TextPair[]): Encoded {
  const texts = pairs.flatMap(({ left, right }) => [left, right]);
  const units = new Float32Array(texts.length * width);
  const lengths = new Float64Array(texts.length);
  const sum = new Float64Array(width);
  for (const [index, tokens] of texts.entries()) {
    sum.fill(0);
    for (const row of tokens) {
      const weight = weights[row];
      for (let k = 0, at = row * width; k < width; k += 1, at += 1) {
        sum[k] += weight * values[at];
      }
    }
    const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 1e-12));
    lengths[index] = length;
    for (let k = 0; k < width; k += 1) units[index * width + k] = sum[k] / length;
  }
  return { texts, units, lengths };
}

/**
 * From the gradients by unit vectors to those by the words' vectors, times `share`.
 * @param result  output of the graph
 * @returns the summed loss of the pairs
 */
function propagate(
  { width, weights }: TrainedVectors,
  { texts, units, lengths }: Encoded,
  result: Float32Array,
  { share, gradients }: { readonly share: number; readonly gradients: Map<number, Float64Array> },
): number {
  const bySum = new Float64Array(width);
  let loss = 0;
  for (const [index, tokens] of texts.entries()) {
    const unit = index * width;
    const pair = Math.floor(index / 2) * (2 * width + 1);
    const from = pair + (index % 2) * width;
    if (index % 2 === 0) loss += result[pair + 2 * width];
    let along = 0;
    for (let k = 0; k < width; k += 1) along += result[from + k] * units[unit + k];
    const factor = share / lengths[index];
    for (let k = 0; k < width; k += 1) {
      bySum[k] = factor * (result[from + k] - along * units[unit + k]);
    }
    for (const row of tokens) addTo(gradients, row, weights[row], bySum);
  }
  return loss;
}

function addTo(gradients: Map<number, Float64Array>, row: number, weight: number, vector: Float64Array): void {
  const known = gradients.get(row);
  const gradient = known ?? new Float64Array(vector.length);
  if (known === undefined) gradients.set(row, gradient);
  for (let k = 0; k < vector.length; k += 1) gradient[k] += weight * vector[k];
}
