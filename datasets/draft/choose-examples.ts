import { seededRandom } from "../../src/stats/seeded-random.js";
import type { SourceText } from "../sources/material.js";

/** Texts of one label: those that become catalog examples and those that are held out for measuring. */
export interface ChosenTexts {
  readonly examples: readonly SourceText[];
  readonly heldOut: readonly SourceText[];
}

/** Most examples that a workflow gets; a longer list costs memory and gains little. */
const mostExamples = 10;
/** Share of a workflow's texts that become examples; the others measure it. */
const exampleShare = 0.4;
/** Longest example that a catalog accepts, in characters. */
const longestExample = 1000;

/** Examples of a workflow that has this many texts: two fifths, at least one, at most ten. */
export function exampleCount(texts: number): number {
  return Math.min(mostExamples, Math.max(Math.min(1, texts), Math.floor(texts * exampleShare)));
}

/**
 * A seeded random draw, so that what is held out stays a fair sample of the requests. Where the source publishes
 * parts, examples come from `train` alone; a label without training texts then has none.
 */
export function chooseExamples(texts: readonly SourceText[], seed: number): ChosenTexts {
  const withParts = texts.some(({ part }) => part !== null);
  const usable = texts.filter(({ text, part }) => text.length <= longestExample && (!withParts || part === "train"));
  const count = withParts ? Math.min(mostExamples, usable.length) : exampleCount(texts.length);
  const examples = new Set(seededRandom(seed).shuffle(usable).slice(0, count));
  return {
    examples: texts.filter((text) => examples.has(text)),
    heldOut: texts.filter((text) => !examples.has(text)),
  };
}

/** Most examples that a catalog accepts for a workflow. */
const acceptedExamples = 50;

/** Every text of a label that is not held out, as far as a catalog accepts them: of more, a seeded draw. */
export function chooseEveryText(
  texts: readonly SourceText[],
  isHeldOut: (text: SourceText) => boolean,
  seed: number,
): ChosenTexts {
  const usable = texts.filter((text) => text.text.length <= longestExample && !isHeldOut(text));
  const drawn =
    usable.length <= acceptedExamples ? usable : seededRandom(seed).shuffle(usable).slice(0, acceptedExamples);
  const examples = new Set(drawn);
  return { examples: texts.filter((text) => examples.has(text)), heldOut: texts.filter((text) => !examples.has(text)) };
}
