import { collectTexts } from "../collect-texts.js";
import type { ReadMaterial } from "../material.js";
import { isJsonObject, listAt, textAt } from "../parse-json.js";

/** The intent that nlp.js returns when none fits. */
const none = "None";

/** Whether a JSON value is a corpus of nlp.js: `data`, a list of intents with utterances. */
export function isNlpJs(value: unknown): boolean {
  const entries = listAt(value, "data");
  return entries.length > 0 && entries.every((entry) => textAt(entry, "intent") !== null && hasUtterances(entry));
}

const hasUtterances = (entry: unknown): boolean => isJsonObject(entry) && Array.isArray(entry["utterances"]);

/**
 * Utterances of a corpus of nlp.js. Its `tests`, which nlp.js never learns from, measure; those of `None` are out of
 * scope.
 * @see nlp.js, docs/v4/ner-manager and corpus files of its examples (`data[].intent`, `.utterances`, `.tests`)
 */
export function readNlpJs(file: string, value: unknown): ReadMaterial {
  const entries = listAt(value, "data").flatMap((entry) => {
    const intent = textAt(entry, "intent");
    return intent === null ? [] : [{ intent, entry }];
  });
  const of = (field: "utterances" | "tests") =>
    entries.flatMap(({ intent, entry }) =>
      listAt(entry, field).map((text, index) => ({
        file,
        at: `intent ${intent} ${field} ${index + 1}`,
        text,
        label: intent === none ? null : intent,
      })),
    );
  const tests = collectTexts(of("tests"));
  const utterances = collectTexts(of("utterances"));
  const withTests = tests.texts.length > 0;
  return {
    texts: [
      ...utterances.texts.map((text) => (withTests ? { ...text, part: "train" as const } : text)),
      ...tests.texts.map((text) => ({ ...text, part: "test" as const })),
    ],
    leftOut: [...utterances.leftOut, ...tests.leftOut],
    workflows: [],
    decisions: ["Answers and actions of the corpus are not used: Sluice selects a workflow, it does not answer."],
  };
}
