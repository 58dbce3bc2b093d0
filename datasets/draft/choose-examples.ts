import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { mostExamples } from "../../src/documents/catalog.js";
import type { SourceText } from "../sources/parsed-source.js";

/** Maximum number of examples of a workflow where an example measures nothing. */
const usualExamples = 10;
/** Share of a workflow's texts that become examples; the others measure it. */
const exampleShare = 0.4;
/** Longest example that a catalog accepts, in characters. */
const longestExample = 1000;

/** Examples of a workflow that has this many texts: two fifths, at least one, at most ten. */
export function exampleCount(texts: number): number {
  return Math.min(usualExamples, Math.max(Math.min(1, texts), Math.floor(texts * exampleShare)));
}

/**
 * The texts of a label that become examples: a seeded random draw, so that what is held out stays a fair sample of the
 * requests. Where the source publishes parts, examples come from `train` alone; a label without training texts then has none.
 */
export function chooseExamples(texts: readonly SourceText[], seed: number): readonly SourceText[] {
  const withParts = texts.some(({ part }) => part !== null);
  const usable = texts.filter(({ text, part }) => text.length <= longestExample && (!withParts || part === "train"));
  const count = withParts ? Math.min(usualExamples, usable.length) : exampleCount(texts.length);
  return seededRandom(seed).shuffle(usable).slice(0, count);
}

/** Every text of a label that is not held out, as far as a catalog accepts them: of more, a seeded draw. */
export function chooseEveryText(
  texts: readonly SourceText[],
  isHeldOut: (text: SourceText) => boolean,
  seed: number,
): readonly SourceText[] {
  const usable = texts.filter((text) => text.text.length <= longestExample && !isHeldOut(text));
  return usable.length <= mostExamples ? usable : seededRandom(seed).shuffle(usable).slice(0, mostExamples);
}
