import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { mostExamples } from "../../src/documents/catalog.js";
import type { SourceText } from "../sources/parsed-source.js";

/** Maximum number of examples per workflow if a text is either an example or a request. */
const usualExamples = 10;
/** Share of a workflow's texts that become examples; the rest become requests. */
const exampleShare = 0.4;
/** Maximum length of a catalog example, in characters. */
const longestExample = 1000;

/** Number of examples of a workflow with this many texts: two fifths, at least one, at most ten. */
export function exampleCount(texts: number): number {
  return Math.min(usualExamples, Math.max(Math.min(1, texts), Math.floor(texts * exampleShare)));
}

/**
 * The texts of a label that become examples: a seeded random draw, so that the held-out texts remain a representative
 * sample. If the source has published parts, examples come only from `train`, so a label without training texts has
 * none.
 */
export function chooseExamples(texts: readonly SourceText[], seed: number): readonly SourceText[] {
  const withParts = texts.some(({ part }) => part !== null);
  const usable = texts.filter(({ text, part }) => text.length <= longestExample && (!withParts || part === "train"));
  const count = withParts ? Math.min(usualExamples, usable.length) : exampleCount(texts.length);
  return seededRandom(seed).shuffle(usable).slice(0, count);
}

/** Every text of a label that is not held out; a seeded draw if there are more than a catalog accepts. */
export function chooseEveryText(
  texts: readonly SourceText[],
  isHeldOut: (text: SourceText) => boolean,
  seed: number,
): readonly SourceText[] {
  const usable = texts.filter((text) => text.text.length <= longestExample && !isHeldOut(text));
  return usable.length <= mostExamples ? usable : seededRandom(seed).shuffle(usable).slice(0, mostExamples);
}
