/** Random unit vectors, and the exact search in plain loops. */
import type { IndexedWorkflow } from "../../src/retrieval/encoder/index-graph.js";
import type { SeededRandom } from "../../src/stats/seeded-random.js";

export function unitVector(dimensions: number, random: SeededRandom): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random.uniform() - 0.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** A workflow whose vectors are random. */
export function anIndexedWorkflow(
  workflowId: string,
  { examples, dimensions }: { readonly examples: number; readonly dimensions: number },
  random: SeededRandom,
): IndexedWorkflow {
  return {
    workflowId,
    description: unitVector(dimensions, random),
    examples: Array.from({ length: examples }, () => unitVector(dimensions, random)),
  };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/** What the index graph must give for one query. */
export function scoresByLoops(
  query: Float32Array,
  workflows: readonly IndexedWorkflow[],
  descriptionWeight: number,
): Float64Array {
  return Float64Array.from(workflows, ({ description, examples }) => {
    const toDescription = dot(query, description);
    if (examples.length === 0) return toDescription;
    let best = Number.NEGATIVE_INFINITY;
    for (const example of examples) best = Math.max(best, dot(query, example));
    return descriptionWeight * toDescription + (1 - descriptionWeight) * best;
  });
}
