import type { SourceFile } from "../../importers/imported-dataset.js";
import { collectTexts, type FoundText } from "../collect-texts.js";
import { decodeText } from "../files/decode-text.js";
import type { ReadMaterial } from "../material.js";
import { otherLanguages } from "./other-languages.js";
import { isJsonObject, listAt, parseJsonText, textAt } from "../parse-json.js";

/** `intents/<name>/trainingPhrases/<language>.json` of an exported agent. */
const phraseFile = /(?:^|\/)intents\/([^/]+)\/trainingPhrases\/([A-Za-z-]+)\.json$/;

/** Whether files are those of an exported Dialogflow CX agent. */
export const isDialogflowCx = (files: readonly string[]): boolean => files.some((file) => phraseFile.test(file));

/**
 * Training phrases of an exported Dialogflow CX agent. The parts of a phrase are joined to its text; the phrases of
 * fallback intents are out of scope.
 * @param language  as the file is named, e.g. "en"; phrases in other languages are counted in the decisions
 */
export function readDialogflowCx(files: readonly SourceFile[], language: string): ReadMaterial {
  const intents = new Map(files.flatMap((source) => intentOf(source)));
  const phrases = files.flatMap((source) => {
    const [, folder, found] = phraseFile.exec(source.file) ?? [];
    return folder === undefined || found === undefined ? [] : [{ source, folder, language: found }];
  });
  const used = phrases.filter((phrase) => phrase.language === language);
  const found = used.flatMap(({ source, folder }): readonly FoundText[] => {
    const intent = intents.get(folder) ?? { name: folder, fallback: false };
    return phrasesIn(source).map((phrase, index) => ({
      file: source.file,
      at: `phrase ${index + 1}`,
      text: joinedParts(phrase),
      label: intent.fallback ? null : intent.name,
    }));
  });
  return {
    ...collectTexts(found),
    workflows: [],
    decisions: [
      "Phrases of fallback intents are out of scope.",
      ...otherLanguages(phrases, language, ({ source }) => phrasesIn(source).length),
    ],
  };
}

interface Intent {
  readonly name: string;
  readonly fallback: boolean;
}

/** Name and kind of an intent by the folder of its file `intents/<folder>/<folder>.json`. */
function intentOf({ file, bytes }: SourceFile): readonly (readonly [folder: string, Intent])[] {
  const [, folder] = /(?:^|\/)intents\/([^/]+)\/\1\.json$/.exec(file) ?? [];
  if (folder === undefined) return [];
  const document = parseJsonText(file, decodeText(bytes).text);
  const fallback = isJsonObject(document) && document["isFallback"] === true;
  return [[folder, { name: textAt(document, "displayName") ?? folder, fallback }]];
}

const phrasesIn = ({ file, bytes }: SourceFile): readonly unknown[] =>
  listAt(parseJsonText(file, decodeText(bytes).text), "trainingPhrases");

const joinedParts = (phrase: unknown): string =>
  listAt(phrase, "parts")
    .map((part) => (isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
