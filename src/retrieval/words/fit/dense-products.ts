/** Products of row-major matrices. Inner loops take four rows at once: each value that is read serves four sums. */

/** left x right^T, shape (n, m), for left (n, width) and right (m, width). */
export function rowProducts(left: Float32Array, right: Float32Array, width: number): Float32Array {
  const n = left.length / width;
  const m = right.length / width;
  const product = new Float32Array(n * m);
  const whole = m - (m % 4);
  for (let i = 0, from = 0; i < n; i += 1, from += width) {
    for (let j = 0; j < whole; j += 4) {
      const first = j * width;
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let k = 0, r = first; k < width; k += 1, r += 1) {
        const value = left[from + k] as number;
        a += value * (right[r] as number);
        b += value * (right[r + width] as number);
        c += value * (right[r + 2 * width] as number);
        d += value * (right[r + 3 * width] as number);
      }
      product[i * m + j] = a;
      product[i * m + j + 1] = b;
      product[i * m + j + 2] = c;
      product[i * m + j + 3] = d;
    }
    for (let j = whole; j < m; j += 1) {
      let sum = 0;
      for (let k = 0; k < width; k += 1) sum += (left[from + k] as number) * (right[j * width + k] as number);
      product[i * m + j] = sum;
    }
  }
  return product;
}

/** Adds weights x rows to `into`, shape (n, width), for weights (n, m) and rows (m, width). */
export function addWeightedRows(weights: Float32Array, rows: Float32Array, width: number, into: Float32Array): void {
  const m = rows.length / width;
  const n = into.length / width;
  const whole = m - (m % 4);
  for (let i = 0, to = 0; i < n; i += 1, to += width) {
    for (let j = 0; j < whole; j += 4) {
      const a = weights[i * m + j] as number;
      const b = weights[i * m + j + 1] as number;
      const c = weights[i * m + j + 2] as number;
      const d = weights[i * m + j + 3] as number;
      for (let k = 0, r = j * width; k < width; k += 1, r += 1) {
        into[to + k] =
          (into[to + k] as number) +
          a * (rows[r] as number) +
          b * (rows[r + width] as number) +
          c * (rows[r + 2 * width] as number) +
          d * (rows[r + 3 * width] as number);
      }
    }
    for (let j = whole; j < m; j += 1) {
      const weight = weights[i * m + j] as number;
      for (let k = 0, r = j * width; k < width; k += 1, r += 1) {
        into[to + k] = (into[to + k] as number) + weight * (rows[r] as number);
      }
    }
  }
}

/** A matrix of shape (n, m) as (m, n). */
export function transposed(matrix: Float32Array, n: number, m: number): Float32Array {
  const turned = new Float32Array(matrix.length);
  for (let i = 0; i < n; i += 1) for (let j = 0; j < m; j += 1) turned[j * n + i] = matrix[i * m + j] as number;
  return turned;
}
