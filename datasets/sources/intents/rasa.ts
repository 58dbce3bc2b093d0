import type { SourceFile } from "../../importers/imported-dataset.js";
import { rasaExamples } from "../../importers/rasa.js";
import { collectTexts } from "../collect-texts.js";
import { decodeText } from "../files/decode-text.js";
import type { ReadMaterial } from "../material.js";

/** Intents of Rasa for what no intent should answer. */
const fallbackIntents = ["out_of_scope", "nlu_fallback"];

/** Whether YAML text is Rasa training data. */
export const isRasa = (content: string): boolean => /^nlu:/m.test(content);

/** Examples of the intents of Rasa 2 and 3 files; lookups, synonyms, stories and rules are passed over. */
export function readRasa(files: readonly SourceFile[]): ReadMaterial {
  const found = files.flatMap(({ file, bytes }) =>
    rasaExamples(file, decodeText(bytes).text).map(({ line, intent, text }) => ({
      file,
      at: `line ${line}`,
      text,
      label: fallbackIntents.includes(intent) ? null : intent,
    })),
  );
  return {
    ...collectTexts(found),
    workflows: [],
    decisions: [
      `Examples of ${fallbackIntents.join(" and ")} are out of scope.`,
      "Entity marks were replaced by their plain text.",
    ],
  };
}
