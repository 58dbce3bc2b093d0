import { SluiceError } from "../../../src/errors/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import { kindOf } from "../../kind-of.js";
import { collectTexts, type FoundText } from "../collect-texts.js";
import { decodeText } from "../files/decode-text.js";
import type { ReadMaterial } from "../material.js";
import { otherLanguages } from "./other-languages.js";
import { isJsonObject, listAt, parseJsonText, textAt } from "../parse-json.js";

const phraseFile = /(?:^|\/)intents\/(.+)_usersays_([A-Za-z-]+)\.json$/;
const intentFile = /(?:^|\/)intents\/(.+)\.json$/;

/** Whether files are those of an exported Dialogflow ES agent. */
export const isDialogflowEs = (files: readonly string[]): boolean => files.some((file) => phraseFile.test(file));

/**
 * Training phrases of an exported Dialogflow ES agent. The parts of a phrase are joined to its text; phrases of
 * fallback intents are out of scope; parameters of an intent become inputs of its workflow.
 * @param language  as the file is named, e.g. "en"
 */
export function readDialogflowEs(files: readonly SourceFile[], language: string): ReadMaterial {
  const documents = new Map(
    files.flatMap((source) => {
      const [, name] = intentFile.exec(source.file) ?? [];
      if (name === undefined || phraseFile.test(source.file)) return [];
      return [[name, parseJsonText(source.file, decodeText(source.bytes).text)] as const];
    }),
  );
  const phrases = files.flatMap((source) => {
    const [, intent, found] = phraseFile.exec(source.file) ?? [];
    return intent === undefined || found === undefined ? [] : [{ source, intent, language: found }];
  });
  const used = phrases.filter((phrase) => phrase.language === language);
  const found = used.flatMap(({ source, intent }): readonly FoundText[] => {
    const document = documents.get(intent);
    const label = isFallback(document) ? null : (textAt(document, "name") ?? intent);
    return phrasesIn(source).map((phrase, index) => ({
      file: source.file,
      at: `phrase ${index + 1}`,
      text: joinedData(phrase),
      label,
    }));
  });
  return {
    ...collectTexts(found),
    workflows: [...documents].flatMap(([name, document]) =>
      isFallback(document)
        ? []
        : [{ label: textAt(document, "name") ?? name, description: null, inputs: inputsOf(document), writes: null }],
    ),
    decisions: [
      "Phrases of fallback intents are out of scope.",
      ...otherLanguages(phrases, language, ({ source }) => phrasesIn(source).length),
    ],
  };
}

/** @throws {SluiceError} SYNTAX_INVALID; SCHEMA_INVALID  the file holds no list */
function phrasesIn({ file, bytes }: SourceFile): readonly unknown[] {
  const list = parseJsonText(file, decodeText(bytes).text);
  if (Array.isArray(list)) return list;
  throw new SluiceError("SCHEMA_INVALID", `${file}: found ${kindOf(list)}, expected a list of phrases`, {
    hint: "Export the agent again.",
  });
}

const isFallback = (document: unknown): boolean => isJsonObject(document) && document["fallbackIntent"] === true;

const joinedData = (phrase: unknown): string =>
  listAt(phrase, "data")
    .map((part) => (isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");

function inputsOf(document: unknown) {
  return listAt(document, "responses").flatMap((response) =>
    listAt(response, "parameters").flatMap((parameter) => {
      const name = textAt(parameter, "name");
      if (name === null) return [];
      const required = isJsonObject(parameter) && parameter["required"] === true;
      return [{ name, description: "", required }];
    }),
  );
}
