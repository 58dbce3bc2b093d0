import type { SourceFile } from "../../importers/imported-dataset.js";
import type { LabelChoices } from "../choices.js";
import { collectTexts } from "../collect-texts.js";
import { decodeText } from "../files/decode-text.js";
import type { ReadMaterial } from "../material.js";
import { groupBy } from "../../../src/stats/group-by.js";
import { readRasaTraining } from "./rasa-examples.js";

/** Whether YAML text is Rasa training data. */
export const isRasa = (content: string): boolean => /^nlu:/m.test(content);

/**
 * Examples of the intents of Rasa 2 and 3 files; lookups, synonyms and patterns are counted, and stories and rules
 * are skipped.
 * @throws {SluiceError} SYNTAX_INVALID with the line
 */
export function readRasa(files: readonly SourceFile[], { outOfScopeLabels }: LabelChoices): ReadMaterial {
  const outOfScope = new Set(outOfScopeLabels.map((label) => label.toLowerCase()));
  const read = files.map(({ file, bytes }) => ({ file, ...readRasaTraining(file, decodeText(bytes).text) }));
  const examples = read.flatMap(({ file, examples: own }) => own.map((example) => ({ file, ...example })));
  const met = [...new Set(examples.map(({ intent }) => intent))].filter((intent) =>
    outOfScope.has(intent.toLowerCase()),
  );
  const found = examples.map(({ file, line, intent, text }) => ({
    file,
    at: `line ${line}`,
    text,
    label: outOfScope.has(intent.toLowerCase()) ? null : intent,
  }));
  return {
    ...collectTexts(found),
    workflows: [],
    decisions: [
      ...(met.length === 0 ? [] : [`Examples of ${met.join(" and ")} are out of scope.`]),
      "Entity annotations were replaced by their plain text.",
      ...passedOver(read.flatMap(({ others }) => others)),
    ],
  };
}

function passedOver(kinds: readonly string[]): readonly string[] {
  if (kinds.length === 0) return [];
  const counts = [...groupBy(kinds, (kind) => kind)].map(([kind, items]) => `${items.length} ${kind}`);
  return [`Items other than intents were skipped: ${counts.join(", ")}.`];
}
