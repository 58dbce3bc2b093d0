import type { SeededRandom } from "../../../stats/seeded-random.js";
import { contrastiveLoss } from "./contrastive-loss.js";
import type { Tokens } from "./corpus.js";
import type { SparseAdam } from "./sparse-adam.js";
import type { PairSources, TextPair } from "./training-pairs.js";

export interface ContrastiveSettings {
  readonly steps: number;
  /** Pairs of each source in one step. */
  readonly lexiconPairs: number;
  readonly workflowPairs: number;
  readonly halvedRequests: number;
  /** Factor of the cosines in the softmax. */
  readonly scale: number;
  /** Share of the words of each text that a step leaves out. */
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

/** One step on fresh pairs of every source; the mean loss over the sources, nats per pair. */
export function contrastiveStep(
  vectors: TrainedVectors,
  sources: PairSources,
  settings: ContrastiveSettings,
  { adam, random }: { readonly adam: SparseAdam; readonly random: SeededRandom },
): number {
  const blocks = [
    sources.lexicon?.(settings.lexiconPairs, random),
    sources.workflow?.(settings.workflowPairs, random),
    sources.halves?.(settings.halvedRequests, random),
  ].flatMap((pairs) => (pairs === undefined ? [] : [pairs]));
  const total = blocks.reduce((sum, pairs) => sum + pairs.length, 0);
  const gradients = new Map<number, Float64Array>();
  let loss = 0;
  for (const pairs of blocks) {
    const share = pairs.length / total;
    loss += share * addGradients(vectors, kept(pairs, settings.dropout, random), [settings.scale, share], gradients);
  }
  adam.step(vectors.values, gradients);
  return loss;
}

/** Each word stays with probability 1 - dropout; one stays at least. */
function kept(pairs: readonly TextPair[], dropout: number, random: SeededRandom): readonly TextPair[] {
  const some = (tokens: Tokens): Tokens => {
    const left = tokens.filter(() => random.uniform() >= dropout);
    return left.length > 0 ? left : tokens.slice(0, 1);
  };
  return pairs.map(({ left, right }) => ({ left: some(left), right: some(right) }));
}

function addGradients(
  vectors: TrainedVectors,
  pairs: readonly TextPair[],
  [scale, share]: readonly [scale: number, share: number],
  gradients: Map<number, Float64Array>,
): number {
  const left = encode(
    vectors,
    pairs.map((pair) => pair.left),
  );
  const right = encode(
    vectors,
    pairs.map((pair) => pair.right),
  );
  const result = contrastiveLoss(left.units, right.units, vectors.width, scale);
  propagate(vectors, left, result.left, { share, gradients });
  propagate(vectors, right, result.right, { share, gradients });
  return result.loss;
}

interface Encoded {
  readonly texts: readonly Tokens[];
  /** Unit vectors, shape (texts, width). */
  readonly units: Float32Array;
  readonly lengths: Float64Array;
}

function encode({ width, values, weights }: TrainedVectors, texts: readonly Tokens[]): Encoded {
  const units = new Float32Array(texts.length * width);
  const lengths = new Float64Array(texts.length);
  const sum = new Float64Array(width);
  for (const [index, tokens] of texts.entries()) {
    sum.fill(0);
    for (const row of tokens) {
      const weight = weights[row] as number;
      for (let k = 0, at = row * width; k < width; k += 1, at += 1) {
        sum[k] = (sum[k] as number) + weight * (values[at] as number);
      }
    }
    const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 1e-12));
    lengths[index] = length;
    for (let k = 0; k < width; k += 1) units[index * width + k] = (sum[k] as number) / length;
  }
  return { texts, units, lengths };
}

/** From the gradient by unit vectors to that by the words' vectors. */
function propagate(
  { width, weights }: TrainedVectors,
  { texts, units, lengths }: Encoded,
  byUnit: Float32Array,
  { share, gradients }: { readonly share: number; readonly gradients: Map<number, Float64Array> },
): void {
  const bySum = new Float64Array(width);
  for (const [index, tokens] of texts.entries()) {
    const from = index * width;
    let along = 0;
    for (let k = 0; k < width; k += 1) along += (byUnit[from + k] as number) * (units[from + k] as number);
    const factor = share / (lengths[index] as number);
    for (let k = 0; k < width; k += 1) {
      bySum[k] = factor * ((byUnit[from + k] as number) - along * (units[from + k] as number));
    }
    for (const row of tokens) {
      let gradient = gradients.get(row);
      if (gradient === undefined) {
        gradient = new Float64Array(width);
        gradients.set(row, gradient);
      }
      const weight = weights[row] as number;
      for (let k = 0; k < width; k += 1) gradient[k] = (gradient[k] as number) + weight * (bySum[k] as number);
    }
  }
}
