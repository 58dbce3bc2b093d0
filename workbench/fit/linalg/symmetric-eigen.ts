/** Eigenvalues and eigenvectors of a symmetric matrix, by decreasing absolute value. */
export interface Eigen {
  readonly values: Float64Array;
  /** Shape (n, n), row-major; column k belongs to value k and has length 1. */
  readonly vectors: Float64Array;
}

const sweepLimit = 30;

/**
 * Cyclic Jacobi rotations (Golub and Van Loan, "Matrix Computations", 8.5), until no off-diagonal entry matters.
 * @param matrix  shape (n, n), row-major, symmetric; overwritten
 */
export function symmetricEigen(matrix: Float64Array, n: number): Eigen {
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) vectors[i * n + i] = 1;
  const norm = Math.sqrt(matrix.reduce((sum, value) => sum + value * value, 0));
  for (let sweep = 0; sweep < sweepLimit; sweep += 1) {
    if (largestOffDiagonal(matrix, n) <= 1e-10 * norm) break;
    for (let p = 0; p < n - 1; p += 1) for (let q = p + 1; q < n; q += 1) rotate(matrix, vectors, n, [p, q]);
  }
  return sorted(matrix, vectors, n);
}

function largestOffDiagonal(matrix: Float64Array, n: number): number {
  let largest = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) largest = Math.max(largest, Math.abs(matrix[i * n + j]));
  }
  return largest;
}

/** Makes entry (p, q) zero. Eigenvectors are stored as rows until the end, so that every pass is contiguous. */
function rotate(matrix: Float64Array, vectors: Float64Array, n: number, [p, q]: readonly [number, number]): void {
  const off = matrix[p * n + q];
  if (off === 0) return;
  const theta = (matrix[q * n + q] - matrix[p * n + p]) / (2 * off);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  turnRows(matrix, n, [p, q], [cosine, sine]);
  for (let row = 0; row < n; row += 1) {
    const a = matrix[row * n + p];
    const b = matrix[row * n + q];
    matrix[row * n + p] = cosine * a - sine * b;
    matrix[row * n + q] = sine * a + cosine * b;
  }
  turnRows(vectors, n, [p, q], [cosine, sine]);
}

type Two = readonly [number, number];

function turnRows(rows: Float64Array, n: number, [p, q]: Two, [cosine, sine]: Two): void {
  for (let k = 0, i = p * n, j = q * n; k < n; k += 1, i += 1, j += 1) {
    const a = rows[i];
    const b = rows[j];
    rows[i] = cosine * a - sine * b;
    rows[j] = sine * a + cosine * b;
  }
}

function sorted(matrix: Float64Array, rows: Float64Array, n: number): Eigen {
  const valueOf = (k: number): number => matrix[k * n + k];
  const order = Array.from({ length: n }, (_, k) => k).sort((a, b) => Math.abs(valueOf(b)) - Math.abs(valueOf(a)));
  const vectors = new Float64Array(n * n);
  for (const [to, from] of order.entries()) {
    for (let i = 0; i < n; i += 1) vectors[i * n + to] = rows[from * n + i];
  }
  return { values: Float64Array.from(order, valueOf), vectors };
}
