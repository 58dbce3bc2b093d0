import { cosineOf } from "../families.js";

/**
 * Which request of a log to label next as an example: one that the router doubts, that resembles many others, that
 * resembles no labelled one, and whose predicted workflow has few labels.
 */

/** A request that nobody has labelled yet. */
export interface OpenRequest {
  readonly id: string;
  /** Unit vector of the text. */
  readonly vector: Float32Array;
  /** Mean cosine to its nearest requests of the log; see `densities`. */
  readonly density: number;
  /** Lead of the first workflow over the second, and the first workflow; null without one. */
  readonly margin: number;
  readonly predicted: string | null;
}

export interface LabelledSoFar {
  readonly vectors: readonly Float32Array[];
  readonly labels: ReadonlyMap<string, number>;
}

/** Weights of the four parts, each standardised over the open requests. Chosen once, not tuned. */
const weights = { doubt: 0.7, density: 0.7, nearness: -0.5, labels: -0.7 } as const;

/** The open requests, best first. */
export function rankExamples(open: readonly OpenRequest[], { vectors, labels }: LabelledSoFar): readonly OpenRequest[] {
  const doubt = standardised(open.map(({ margin }) => -margin));
  const density = standardised(open.map((one) => one.density));
  const nearness = standardised(open.map(({ vector }) => nearest(vector, vectors)));
  const count = standardised(open.map(({ predicted }) => labels.get(predicted ?? "") ?? 0));
  const score = (at: number): number =>
    weights.doubt * (doubt[at] ?? 0) +
    weights.density * (density[at] ?? 0) +
    weights.nearness * (nearness[at] ?? 0) +
    weights.labels * (count[at] ?? 0);
  return open
    .map((request, at) => ({ request, score: score(at) }))
    .sort((a, b) => b.score - a.score || (a.request.id < b.request.id ? -1 : 1))
    .map(({ request }) => request);
}

const nearest = (vector: Float32Array, others: readonly Float32Array[]): number =>
  others.reduce((best, other) => Math.max(best, cosineOf(vector, other)), -1);

function standardised(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return values.map((value) => (value - mean) / (deviation + 1e-9));
}

/** Number of nearest requests whose mean cosine is the density of a request. */
const neighbours = 20;

/** Density of each vector among all of them. */
export function densities(vectors: readonly Float32Array[]): readonly number[] {
  return vectors.map((vector) => {
    const near = Float32Array.from(vectors, (other) => cosineOf(vector, other))
      .sort()
      .slice(-neighbours);
    return near.reduce((sum, value) => sum + value, 0) / near.length;
  });
}
