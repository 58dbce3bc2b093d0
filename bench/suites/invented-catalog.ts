/** Catalogs of any size whose texts consist of words in the vocabulary of the default models. */
import type { Catalog } from "../../src/documents/catalog.js";
import { wholeWords } from "../../src/inference/tokenizer/text-tokenizer.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { aCatalog, aWorkflow } from "../../test/support/builders.js";
import { defaultModels } from "../serving/default-models.js";

const wordsPerWorkflow = 40;
const examples = 10;
const wordsPerText = 9;

/** A catalog and requests to it. */
export interface InventedCatalog {
  readonly catalog: Catalog;
  readonly texts: readonly string[];
}

/** @param words  words per request. Default: nine */
export async function inventedCatalog(count: number, requests: number, words = wordsPerText): Promise<InventedCatalog> {
  const { retrieverFiles } = await defaultModels();
  const known = wholeWords(retrieverFiles.get("tokenizer.json") ?? Buffer.from("{}"));
  const random = seededRandom(count);
  /** The vocabulary is sorted by frequency, so small indices are drawn more often, as in natural language. */
  const anyWord = (): string => known[Math.floor(known.length * random.uniform() ** 3)] ?? "";
  const textOf = (theme: readonly string[], length: number): string =>
    Array.from({ length }, () =>
      random.uniform() < 0.8 ? (theme[random.integer(0, theme.length - 1)] ?? "") : anyWord(),
    ).join(" ");
  const themes = Array.from({ length: count }, () => Array.from({ length: wordsPerWorkflow }, anyWord));
  const workflows = themes.map((theme, index) =>
    aWorkflow({
      workflow_id: `workflow.${index}`,
      name: theme.slice(0, 3).join(" "),
      description: `${theme.slice(3, 9).join(" ")}.`,
      capabilities: [],
      examples: Array.from({ length: examples }, () => textOf(theme, wordsPerText)),
    }),
  );
  const texts = Array.from({ length: requests }, () => textOf(themes[random.integer(0, count - 1)] ?? [], words));
  return { catalog: aCatalog({ workflows }), texts };
}
