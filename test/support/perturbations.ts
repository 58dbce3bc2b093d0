/** Other writings of a request, for tests and benches of robustness. */
import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";

/** A change of a request's writing that leaves its meaning. */
export interface Perturbation {
  readonly name: string;
  readonly apply: (text: string, random: SeededRandom) => string;
}

/** Words with fewer letters keep their spelling. */
const shortestMistyped = 4;

/** Two neighbouring letters swapped, one letter dropped, or one doubled; never the first. */
function mistype(word: string, random: SeededRandom): string {
  const at = random.integer(1, word.length - 2);
  const [before, letter, next, after] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
  const kind = random.integer(0, 2);
  if (kind === 0) return before + next + letter + after;
  return kind === 1 ? before + next + after : before + letter + letter + next + after;
}

/** @param share  of the words with at least four letters, in [0, 1] */
const typos = (share: number): Perturbation => ({
  name: `typos in ${100 * share}% of the words`,
  apply: (text, random) =>
    text.replace(/\p{L}+/gu, (word) => {
      return word.length >= shortestMistyped && random.uniform() < share ? mistype(word, random) : word;
    }),
});

/** Every change that is measured, in the order of the table. */
export const perturbations: readonly Perturbation[] = [
  typos(0.1),
  typos(0.2),
  typos(0.5),
  { name: "upper case", apply: (text) => text.toUpperCase() },
  { name: "lower case", apply: (text) => text.toLowerCase() },
  {
    name: "title case",
    apply: (text) => text.replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
  },
  {
    name: "punctuation removed, but not inside of words and codes",
    apply: (text) => text.replace(/(?<![\p{L}\p{N}])\p{P}+|\p{P}+(?![\p{L}\p{N}])/gu, ""),
  },
  { name: "all punctuation removed", apply: (text) => text.replace(/\p{P}+/gu, "") },
  {
    name: "a comma after every third word, !? at the end",
    apply: (text) => `${text.replace(/((?:\S+\s+){2}\S+)(?=\s)/g, "$1,")} !?`,
  },
];
