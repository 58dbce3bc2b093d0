import { unbounded } from "../../../src/domain/run-scope.js";
import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import { bestPositions } from "../../../src/retrieval/best-positions.js";
import type { Retriever } from "../../../src/retrieval/retriever.js";
import type { HeldOut } from "./hold-out.js";

const examplesPerClass = 10;
const requestsPerClass = 30;

/** Classes of workflows that a fit did not see, the texts that stand for them, and requests with a known class. */
export interface HeldOutTask {
  readonly classes: readonly { readonly names: readonly string[]; readonly examples: readonly string[] }[];
  readonly queries: readonly { readonly text: string; readonly label: number }[];
}

/** Draws ten requests of each held-out class as its examples, and at most thirty others as queries. */
export function heldOutTask({ workflows, requests }: HeldOut, random: SeededRandom): HeldOutTask {
  const classOf = new Map(workflows.map(({ id, classKey }) => [id, classKey]));
  const keys = [...new Set(workflows.map(({ classKey }) => classKey))];
  const drawn = keys.map((key) => {
    const own = requests.filter(({ workflow }) => workflow !== null && classOf.get(workflow) === key);
    return random.shuffle([...new Set(own.map(({ text }) => text))]);
  });
  const namesOf = (key: string) => workflows.filter(({ classKey }) => classKey === key).map(({ name }) => name);
  return {
    classes: keys.map((key, label) => ({
      names: [...new Set(namesOf(key))],
      examples: (drawn[label] ?? []).slice(0, examplesPerClass),
    })),
    queries: drawn.flatMap((texts, label) =>
      texts.slice(examplesPerClass, examplesPerClass + requestsPerClass).map((text) => ({ text, label })),
    ),
  };
}

/** Requests whose workflow is first, among the first five and among the first ten. */
export interface RecallCounts {
  readonly requests: number;
  readonly workflows: number;
  readonly at1: number;
  readonly at5: number;
  readonly at10: number;
}

/** @param queries  `label`: position of the right workflow in the retriever's catalog */
export async function countRecall(retriever: Retriever, queries: HeldOutTask["queries"]): Promise<RecallCounts> {
  const counts = { at1: 0, at5: 0, at10: 0 };
  for (const { text, label } of queries) {
    const rank = bestPositions(await retriever.rank(text, unbounded), 10).indexOf(label);
    if (rank === 0) counts.at1 += 1;
    if (rank >= 0 && rank < 5) counts.at5 += 1;
    if (rank >= 0) counts.at10 += 1;
  }
  return { requests: queries.length, workflows: new Set(queries.map(({ label }) => label)).size, ...counts };
}
