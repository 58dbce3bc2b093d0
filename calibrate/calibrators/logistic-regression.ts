const gradientStop = 1e-10;
const maximumIterations = 100;
/** Relative increase of the loss that counts as rounding error. */
const lossSlack = 1e-12;
/** Larger standardised coefficients indicate separable rows, whose optimum is at infinity. */
const largestCoefficient = 1e4;
/** A smaller mean loss indicates separable rows: the fit explains every target. */
const smallestLoss = 1e-8;

/** A weighted logistic regression of targets in [0, 1]; for an intercept, add a feature of ones. */
export interface LogisticProblem {
  /** One array per feature, each with one value per row. */
  readonly features: readonly Float64Array[];
  readonly target: Float64Array;
  readonly weight: Float64Array;
  /** Penalty on half the squared coefficient, one per feature, >= 0. */
  readonly ridge: readonly number[];
  /** Offset of each row's log odds. Default 0. */
  readonly offset?: Float64Array;
}

function logitsOf({ features, target, offset }: LogisticProblem, coefficients: readonly number[]): Float64Array {
  const logits = offset?.slice() ?? new Float64Array(target.length);
  for (const [j, feature] of features.entries()) {
    const coefficient = coefficients[j];
    for (let i = 0; i < logits.length; i += 1) logits[i] += coefficient * feature[i];
  }
  return logits;
}

/** Coefficients, the resulting log odds t of each row, exp(-|t|) (shared by loss and derivatives), and the loss. */
interface Trial {
  readonly coefficients: readonly number[];
  readonly logits: Float64Array;
  readonly tails: Float64Array;
  readonly loss: number;
}

function tryCoefficients(problem: LogisticProblem, coefficients: readonly number[]): Trial {
  const logits = logitsOf(problem, coefficients);
  const tails = logits.map((t) => Math.exp(-Math.abs(t)));
  return { coefficients, logits, tails, loss: lossAt(problem, coefficients, { logits, tails }) };
}

function lossAt(
  { target, weight, ridge }: LogisticProblem,
  coefficients: readonly number[],
  { logits, tails }: Pick<Trial, "logits" | "tails">,
): number {
  let loss = 0;
  for (let i = 0; i < logits.length; i += 1) {
    const t = logits[i];
    const softplus = Math.max(t, 0) + Math.log1p(tails[i]);
    loss += weight[i] * (softplus - target[i] * t);
  }
  for (const [j, penalty] of ridge.entries()) loss += 0.5 * penalty * coefficients[j] ** 2;
  return loss;
}

/** The features in row-major order, which the derivatives read once per step. */
function rowsOf({ features, target }: LogisticProblem): Float64Array {
  const size = features.length;
  const rows = new Float64Array(size * target.length);
  for (const [j, feature] of features.entries()) {
    for (let i = 0; i < target.length; i += 1) rows[i * size + j] = feature[i];
  }
  return rows;
}

interface Derivatives {
  readonly gradient: readonly number[];
  readonly hessian: readonly (readonly number[])[];
}

/** Adds curvature * row * row' of each row to the lower triangle, four rows at a time in row order. */
function addCurvature(hessian: Float64Array, rows: Float64Array, curvature: Float64Array): void {
  const size = Math.sqrt(hessian.length);
  const last = curvature.length - 1;
  for (let i = 0; i <= last; i += 4) {
    // Rows past the end repeat the last row with weight 0.
    const [a, b, c, d] = [
      i * size,
      Math.min(i + 1, last) * size,
      Math.min(i + 2, last) * size,
      Math.min(i + 3, last) * size,
    ];
    const [ca, cb, cc, cd] = [curvature[i], curvature[i + 1] ?? 0, curvature[i + 2] ?? 0, curvature[i + 3] ?? 0];
    for (let j = 0; j < size; j += 1) {
      const [xa, xb, xc, xd] = [ca * rows[a + j], cb * rows[b + j], cc * rows[c + j], cd * rows[d + j]];
      const entry = j * size;
      for (let k = 0; k <= j; k += 1) {
        hessian[entry + k] =
          hessian[entry + k] + xa * rows[a + k] + xb * rows[b + k] + xc * rows[c + k] + xd * rows[d + k];
      }
    }
  }
}

/** @param rows  `rowsOf` of the problem */
function derivativesAt(
  { target, weight, ridge }: LogisticProblem,
  rows: Float64Array,
  { coefficients, logits, tails }: Trial,
): Derivatives {
  const size = ridge.length;
  const gradient = Float64Array.from(ridge, (penalty, j) => penalty * coefficients[j]);
  const hessian = new Float64Array(size * size);
  for (const [j, penalty] of ridge.entries()) hessian[j * size + j] = penalty;
  const curvature = new Float64Array(logits.length);
  for (let i = 0; i < logits.length; i += 1) {
    const tail = tails[i];
    const p = logits[i] >= 0 ? 1 / (1 + tail) : tail / (1 + tail);
    const residual = weight[i] * (p - target[i]);
    curvature[i] = weight[i] * p * (1 - p);
    for (let j = 0; j < size; j += 1) gradient[j] += residual * rows[i * size + j];
  }
  addCurvature(hessian, rows, curvature);
  return {
    gradient: [...gradient],
    hessian: Array.from({ length: size }, (_, j) =>
      Array.from({ length: size }, (_unused, k) => hessian[k <= j ? j * size + k : k * size + j]),
    ),
  };
}

/** Solves a small symmetric positive definite system; null if it is singular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] | null {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  const size = rows.length;
  for (const [i, pivotRow] of rows.entries()) {
    const pivot = pivotRow[i];
    if (!(pivot > 1e-12 * (matrix[i]?.[i] ?? 0))) return null;
    for (const row of rows.slice(i + 1)) {
      const factor = row[i] / pivot;
      for (let k = i; k <= size; k += 1) row[k] -= factor * pivotRow[k];
    }
  }
  const solution = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i -= 1) {
    const row = rows[i];
    let sum = row[size];
    for (let k = i + 1; k < size; k += 1) sum -= row[k] * solution[k];
    solution[i] = sum / row[i];
  }
  return solution;
}

/**
 * Minimises the loss by Newton steps, halved while the loss rises. Stops when every entry of the gradient is at most
 * 1e-10 per unit of weight, so the result does not depend on the start.
 *
 * @param start  one coefficient per feature
 * @returns  the coefficients; null if there is no finite optimum (separable rows) or the features are collinear
 */
export function fitLogistic(problem: LogisticProblem, start: readonly number[]): readonly number[] | null {
  const total = problem.weight.reduce((sum, weight) => sum + weight, 0);
  const rows = rowsOf(problem);
  let current = tryCoefficients(problem, start);
  for (let iteration = 0; iteration < maximumIterations; iteration += 1) {
    const { coefficients, loss } = current;
    const { gradient, hessian } = derivativesAt(problem, rows, current);
    if (gradient.every((entry) => Math.abs(entry) <= gradientStop * Math.max(1, total))) {
      return loss <= smallestLoss * total ? null : coefficients;
    }
    const step = solve(hessian, gradient);
    if (step === null) return null;
    let [size, next] = [1, current];
    do {
      const shorter = size;
      next = tryCoefficients(
        problem,
        coefficients.map((value, j) => value - shorter * step[j]),
      );
      size /= 2;
    } while (!(next.loss <= loss + lossSlack * Math.abs(loss)) && size > 1e-9);
    if (next.coefficients.some((value) => Math.abs(value) > largestCoefficient)) return null;
    current = next;
  }
  return null;
}

/**
 * Scales a feature to mean 0 and standard deviation 1, and returns the mean and spread to invert it. A constant feature
 * has spread 0.
 */
export function standardised(values: ArrayLike<number>): {
  readonly feature: Float64Array;
  readonly mean: number;
  readonly spread: number;
} {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i];
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) squares += (values[i] - mean) ** 2;
  const spread = Math.sqrt(squares / values.length);
  const feature = new Float64Array(values.length);
  if (spread !== 0) for (let i = 0; i < values.length; i += 1) feature[i] = (values[i] - mean) / spread;
  return { feature, mean, spread };
}

/** Rows of a logistic regression on raw columns, one value per row each. */
interface ColumnProblem extends Omit<LogisticProblem, "features" | "ridge"> {
  readonly columns: readonly ArrayLike<number>[];
  /** Penalty on half the squared standardised weight of a column, and on half the squared intercept, >= 0. */
  readonly ridge: { readonly column: number; readonly intercept: number };
  /** What the intercept adds to. Default 0. */
  readonly base?: number;
}

/**
 * A logistic regression on standardised columns, in the units of the raw ones. A constant column has weight 0; `varies` is
 * false if all are. null if there is no finite optimum.
 */
export function fitColumns({ columns, ridge, base = 0, ...rows }: ColumnProblem): {
  readonly intercept: number;
  readonly weights: readonly number[];
  readonly varies: boolean;
} | null {
  const scaled = columns.map(standardised);
  const found = fitLogistic(
    {
      ...rows,
      features: [...scaled.map(({ feature }) => feature), new Float64Array(rows.target.length).fill(1)],
      ridge: [...scaled.map(() => ridge.column), ridge.intercept],
    },
    [...scaled.map(() => 0), 0],
  );
  if (found === null) return null;
  const weights = scaled.map(({ spread }, i) => (spread === 0 ? 0 : (found[i] ?? 0) / spread));
  const shift = scaled.reduce((sum, { mean }, i) => sum + (weights[i] ?? 0) * mean, 0);
  return {
    intercept: base + (found.at(-1) ?? 0) - shift,
    weights,
    varies: scaled.some(({ spread }) => spread > 0),
  };
}
