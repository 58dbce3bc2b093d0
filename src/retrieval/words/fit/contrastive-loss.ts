import { addWeightedRows, rowProducts, transposed } from "./dense-products.js";

/** Loss of one block and its gradients by the unit vectors, shape (n, width). */
export interface BlockLoss {
  /** Mean of both directions, nats per pair. */
  readonly loss: number;
  readonly left: Float32Array;
  readonly right: Float32Array;
}

/**
 * In-batch softmax in both directions (van den Oord, Li and Vinyals 2018): the pair of each vector among all vectors of
 * the other side.
 * @param left   unit vectors, shape (n, width); row i belongs to row i of `right`
 * @param scale  factor of the cosines, the inverse temperature
 */
export function contrastiveLoss(left: Float32Array, right: Float32Array, width: number, scale: number): BlockLoss {
  const n = left.length / width;
  const scores = rowProducts(left, right, width);
  const forth = softmaxErrors(scores, n, scale);
  const back = softmaxErrors(transposed(scores, n, n), n, scale);
  const weights = transposed(back.errors, n, n);
  for (let i = 0; i < weights.length; i += 1) {
    weights[i] = (((weights[i] as number) + (forth.errors[i] as number)) * scale) / (2 * n);
  }
  const gradients = { left: new Float32Array(left.length), right: new Float32Array(right.length) };
  addWeightedRows(weights, right, width, gradients.left);
  addWeightedRows(transposed(weights, n, n), left, width, gradients.right);
  return { loss: (forth.loss + back.loss) / 2, ...gradients };
}

/** Softmax of each row minus one-hot of the diagonal, and the mean negative log-probability of the diagonal. */
function softmaxErrors(scores: Float32Array, n: number, scale: number): { errors: Float32Array; loss: number } {
  const errors = new Float32Array(scores.length);
  let loss = 0;
  for (let i = 0, from = 0; i < n; i += 1, from += n) {
    let sum = 0;
    for (let j = from; j < from + n; j += 1) {
      const power = Math.exp(scale * ((scores[j] as number) - 1));
      errors[j] = power;
      sum += power;
    }
    loss += Math.log(sum) - scale * ((scores[from + i] as number) - 1);
    for (let j = from; j < from + n; j += 1) errors[j] = (errors[j] as number) / sum;
    errors[from + i] = (errors[from + i] as number) - 1;
  }
  return { errors, loss: loss / n };
}
