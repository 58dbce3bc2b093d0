import type { SeededRandom } from "../../../stats/seeded-random.js";
import { lemmasOf } from "../lemmas.js";
import { wordVectors } from "../load-word-vectors.js";
import type { WordVectors } from "../word-vectors.js";
import type { FittedVectors } from "./fit-word-vectors.js";
import type { HeldOut } from "./hold-out.js";

const examplesPerClass = 10;
const requestsPerClass = 30;

/** How often the right class of workflows is among the best, by cosine with the mean of its name and ten requests. */
export interface HeldOutRecall {
  readonly requests: number;
  readonly classes: number;
  /** Requests whose class is first, or among the first five. */
  readonly first: number;
  readonly amongFive: number;
}

interface Task {
  /** Texts of each class that stand for it. */
  readonly index: readonly (readonly string[])[];
  readonly queries: readonly { readonly text: string; readonly label: number }[];
}

/** Draws the requests that stand for each held-out class, and those that are asked. */
export function heldOutTask({ workflows, requests }: HeldOut, random: SeededRandom): Task {
  const classOf = new Map(workflows.map(({ id, classKey }) => [id, classKey]));
  const classes = [...new Set(workflows.map(({ classKey }) => classKey))];
  const drawn = classes.map((key) =>
    random.shuffle(requests.filter(({ workflow }) => workflow !== null && classOf.get(workflow) === key)),
  );
  const namesOf = (key: string) => workflows.filter((w) => w.classKey === key).map(({ name }) => name);
  return {
    index: classes.map((key, label) => [
      ...new Set(namesOf(key)),
      ...(drawn[label] ?? []).slice(0, examplesPerClass).map(({ text }) => text),
    ]),
    queries: drawn.flatMap((texts, label) =>
      texts.slice(examplesPerClass, examplesPerClass + requestsPerClass).map(({ text }) => ({ text, label })),
    ),
  };
}

export function heldOutRecall({ index, queries }: Task, fitted: FittedVectors): HeldOutRecall {
  const vectors = wordVectors(fitted.vocabulary, fitted.values, fitted.dimensions);
  const centres = index.map((texts) =>
    sumOf(
      texts.map((text) => embed(vectors, text)),
      vectors.dimensions,
    ),
  );
  let first = 0;
  let amongFive = 0;
  for (const { text, label } of queries) {
    const query = embed(vectors, text);
    const scores = centres.map((centre) => product(centre, query) / Math.sqrt(product(centre, centre) || 1));
    const better = scores.filter((score) => score > (scores[label] as number)).length;
    if (better === 0) first += 1;
    if (better < 5) amongFive += 1;
  }
  return { requests: queries.length, classes: index.length, first, amongFive };
}

/** Unit vector of a text; zero when no word is known. */
function embed(vectors: WordVectors, text: string): Float64Array {
  const { dimensions, rows } = vectors;
  const words = lemmasOf(text).flatMap((lemma) => {
    const row = vectors.rowOf(lemma);
    return row < 0 ? [] : [rows.subarray(row * dimensions, (row + 1) * dimensions)];
  });
  const sum = sumOf(words, dimensions);
  const length = Math.sqrt(product(sum, sum));
  return length === 0 ? sum : sum.map((value) => value / length);
}

function sumOf(vectors: readonly (Float32Array | Float64Array)[], dimensions: number): Float64Array {
  const sum = new Float64Array(dimensions);
  for (const vector of vectors)
    for (let k = 0; k < dimensions; k += 1) sum[k] = (sum[k] as number) + (vector[k] as number);
  return sum;
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += (a[k] as number) * (b[k] as number);
  return sum;
}
