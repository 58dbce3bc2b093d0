import type { LabelledRequest } from "../../src/domain/dataset.js";
import type { EvidenceVerifierWire } from "../../src/domain/model.js";
import { choleskyInPlace, solveInPlace } from "../../src/linalg/cholesky.js";
import { groupBy } from "../../src/stats/group-by.js";

type Detector = NonNullable<EvidenceVerifierWire["commitment"]>;

/** A labelled request with its vector. */
export interface CommitmentExample {
  readonly vector: Float32Array;
  /** true when the right workflow has a side effect. */
  readonly commits: boolean;
  /** Requests of one group are about one subject, such as the requests of one service. */
  readonly group: string;
}

const ridge = 1e-3;
const newtonSteps = 12;
/** Most requests of one workflow, so that frequent ones do not decide. */
export const mostRequestsEach = 120;

/**
 * Logistic regression of "commits" on sentence vectors. Each group is centred on the midpoint of its two classes and
 * both classes weigh the same in it: the subject of a group then says nothing, only how it is asked.
 * @returns null when fewer than two groups have both classes
 */
export function fitCommitment(examples: readonly CommitmentExample[]): Detector | null {
  const groups = [...groupBy(examples, ({ group }) => group).values()].flatMap((members) => {
    const classes = [true, false].map((commits) => members.filter((member) => member.commits === commits));
    return classes.every(({ length }) => length > 0) ? [classes] : [];
  });
  if (groups.length < 2) return null;
  const dimensions = examples[0]?.vector.length ?? 0;
  const centres = groups.map((classes) => midpoint(classes.map((members) => meanOf(members, dimensions))));
  const rows = groups.flatMap((classes, group) =>
    classes.flatMap((members) =>
      members.map(({ vector, commits }) => ({
        centred: Float64Array.from(vector, (value, d) => value - (centres[group]?.[d] ?? 0)),
        target: commits ? 1 : 0,
        weight: 1 / (2 * groups.length * members.length),
      })),
    ),
  );
  const weights = new Float64Array(dimensions);
  for (let step = 0; step < newtonSteps; step += 1) newtonStep(rows, weights);
  const centre = midpoint(centres);
  const bias = -weights.reduce((sum, weight, d) => sum + weight * (centre[d] ?? 0), 0);
  const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
  return { bias: rounded(bias), weights: Array.from(weights, rounded) };
}

interface WeightedRow {
  readonly centred: Float64Array;
  readonly target: number;
  readonly weight: number;
}

function newtonStep(rows: readonly WeightedRow[], weights: Float64Array): void {
  const n = weights.length;
  const hessian = new Float64Array(n * n);
  const gradient = Float64Array.from(weights, (weight) => ridge * weight);
  for (let i = 0; i < n; i += 1) hessian[i * n + i] = ridge;
  for (const { centred, target, weight } of rows) {
    let logit = 0;
    for (let d = 0; d < n; d += 1) logit += weights[d] * centred[d];
    const p = 1 / (1 + Math.exp(-logit));
    const curvature = weight * p * (1 - p);
    for (let i = 0; i < n; i += 1) {
      gradient[i] += weight * (p - target) * centred[i];
      const scaled = curvature * centred[i];
      for (let j = 0; j <= i; j += 1) hessian[i * n + j] += scaled * centred[j];
    }
  }
  choleskyInPlace(hessian, n);
  solveInPlace(hessian, n, gradient, 1);
  for (let d = 0; d < n; d += 1) weights[d] -= gradient[d];
}

function meanOf(members: readonly CommitmentExample[], dimensions: number): Float64Array {
  const mean = new Float64Array(dimensions);
  for (const { vector } of members) for (let d = 0; d < dimensions; d += 1) mean[d] += vector[d] / members.length;
  return mean;
}

const midpoint = (points: readonly Float64Array[]): Float64Array =>
  Float64Array.from(points[0] ?? [], (_, d) => points.reduce((sum, point) => sum + point[d], 0) / points.length);

/** The first requests of each workflow, in the given order, at most `mostRequestsEach`. */
export function firstOfEach(requests: readonly LabelledRequest[]): readonly LabelledRequest[] {
  const taken = new Map<string, number>();
  return requests.filter(({ workflowId }) => {
    if (workflowId === null) return false;
    const count = taken.get(workflowId) ?? 0;
    taken.set(workflowId, count + 1);
    return count < mostRequestsEach;
  });
}
