import type { SourceFile } from "../../importers/imported-dataset.js";
import { collectTexts } from "../collect-texts.js";
import { decodeText } from "../files/decode-text.js";
import type { ReadMaterial } from "../material.js";

/** Whether a file is a Botium utterance list. */
export const isBotium = (file: string): boolean => file.endsWith(".utterances.txt");

/** Utterance lists of Botium: the first line names the intent, each further line is an utterance. */
export function readBotium(files: readonly SourceFile[]): ReadMaterial {
  const found = files.flatMap(({ file, bytes }) => {
    const [name = "", ...utterances] = decodeText(bytes).text.split(/\r?\n/);
    const label = name.trim();
    if (label === "") return [];
    return utterances.flatMap((text, index) =>
      text.trim() === "" ? [] : [{ file, at: `line ${index + 2}`, text, label }],
    );
  });
  return { ...collectTexts(found), workflows: [], decisions: ["Conversations (*.convo.txt) were skipped."] };
}
