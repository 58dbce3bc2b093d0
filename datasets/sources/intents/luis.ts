import { collectTexts } from "../collect-texts.js";
import type { ReadMaterial } from "../material.js";
import { isJsonObject, listAt, textAt } from "../parse-json.js";

/** The intent that LUIS and CLU use for utterances that fit no other. */
const none = "None";

const labelOf = (intent: string | null): string | null => (intent === none ? null : intent);

/** Whether a JSON value is an exported LUIS app. */
export const isLuis = (value: unknown): boolean =>
  isJsonObject(value) &&
  (value["luis_schema_version"] !== undefined ||
    (Array.isArray(value["utterances"]) && Array.isArray(value["intents"])));

/**
 * Utterances of an exported LUIS app; those of `None` are out of scope.
 * @see Microsoft, LUIS app schema (`utterances[].text`, `utterances[].intent`)
 */
export function readLuis(file: string, app: unknown): ReadMaterial {
  return readUtterances(file, listAt(app, "utterances"));
}

/** Whether a JSON value is an exported CLU project. */
export const isClu = (value: unknown): boolean =>
  isJsonObject(value) && value["projectFileVersion"] !== undefined && isJsonObject(value["assets"]);

/**
 * Utterances of an exported CLU project; those of `None` are out of scope. The dataset of an utterance (`Train`,
 * `Test`) becomes its part.
 * @see Microsoft, CLU project format (`assets.utterances[]`)
 */
export function readClu(file: string, project: unknown): ReadMaterial {
  const assets = isJsonObject(project) ? project["assets"] : undefined;
  const utterances = listAt(assets, "utterances");
  const read = readUtterances(file, utterances);
  const testAt = new Set(
    utterances.flatMap((utterance, index) =>
      textAt(utterance, "dataset")?.toLowerCase() === "test" ? [placeOf(index)] : [],
    ),
  );
  if (testAt.size === 0) return read;
  return {
    ...read,
    texts: read.texts.map((text) => ({ ...text, part: testAt.has(text.at) ? "test" : "train" })),
    decisions: [...read.decisions, `${testAt.size} utterances are for testing, as the project says.`],
  };
}

const placeOf = (index: number): string => `utterance ${index + 1}`;

function readUtterances(file: string, utterances: readonly unknown[]): ReadMaterial {
  const labelled = utterances.map((utterance, index) => ({
    file,
    at: placeOf(index),
    text: isJsonObject(utterance) ? utterance["text"] : undefined,
    intent: textAt(utterance, "intent"),
  }));
  const unlabelled = labelled.filter(({ intent }) => intent === null);
  const read = collectTexts(
    labelled.flatMap(({ intent, ...found }) => (intent === null ? [] : [{ ...found, label: labelOf(intent) }])),
  );
  return {
    texts: read.texts,
    leftOut: [...read.leftOut, ...unlabelled.map(({ at }) => ({ file, at, reason: "no_label" as const }))],
    workflows: [],
    decisions: [`Utterances of the intent "${none}" are out of scope.`],
  };
}
