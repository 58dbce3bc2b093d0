/**
 * Path of a value in a row: a column name, or nested keys from the outermost in; a number selects a list item. The key
 * `<predicted>` stands for the predicted workflow.
 */
export type FieldPath = readonly string[];

/** How to read the rows of one system's output. */
export interface PredictionMapping {
  /** Id of the row. Rows without one are numbered. */
  readonly id: FieldPath;
  /** Labelled workflow. Empty or null means out of scope; a row without the field is unlabelled. */
  readonly gold: FieldPath;
  readonly predicted: FieldPath;
  /** Confidence of the prediction, a number from 0 to 1. */
  readonly confidence: FieldPath;
  /** List of further candidates, each with a name and a confidence; null if the output has no such list. */
  readonly ranking: { readonly list: FieldPath; readonly name: FieldPath; readonly confidence: FieldPath } | null;
  /** Predictions that mean "no workflow", in addition to an empty prediction. */
  readonly none: readonly string[];
  /** Out-of-scope rows of one group are not independent. Rows without a value form a group each. */
  readonly group: FieldPath;
}

const own = { id: ["id"], gold: ["gold"], group: ["group"] } as const;

/**
 * Mappings for the outputs of known systems, to which the user has added a `gold` field (and an `id`) per row. rasa:
 * results of `rasa test nlu` (JSON list) or of the HTTP API. dialogflow: DetectIntent responses. luis and luis-v2:
 * versions 3 and 2 of the LUIS prediction API. lex: RecognizeText of Lex V2. nlpjs: `manager.process`.
 */
export const predictionMappings = {
  plain: {
    ...own,
    predicted: ["predicted"],
    confidence: ["confidence"],
    ranking: null,
    none: [],
  },
  hint3: {
    ...own,
    id: ["request_id"],
    gold: ["gold_intent"],
    predicted: ["predicted_intent"],
    confidence: ["confidence"],
    ranking: null,
    none: [],
  },
  rasa: {
    ...own,
    gold: ["intent"],
    predicted: ["intent_prediction", "name"],
    confidence: ["intent_prediction", "confidence"],
    ranking: null,
    none: ["nlu_fallback", "out_of_scope", "None"],
  },
  "rasa-http": {
    ...own,
    predicted: ["intent", "name"],
    confidence: ["intent", "confidence"],
    ranking: { list: ["intent_ranking"], name: ["name"], confidence: ["confidence"] },
    none: ["nlu_fallback", "out_of_scope", "None"],
  },
  dialogflow: {
    ...own,
    predicted: ["queryResult", "intent", "displayName"],
    confidence: ["queryResult", "intentDetectionConfidence"],
    ranking: null,
    none: ["Default Fallback Intent"],
  },
  luis: {
    ...own,
    predicted: ["prediction", "topIntent"],
    confidence: ["prediction", "intents", "<predicted>", "score"],
    ranking: null,
    none: ["None"],
  },
  "luis-v2": {
    ...own,
    predicted: ["topScoringIntent", "intent"],
    confidence: ["topScoringIntent", "score"],
    ranking: { list: ["intents"], name: ["intent"], confidence: ["score"] },
    none: ["None"],
  },
  lex: {
    ...own,
    predicted: ["interpretations", "0", "intent", "name"],
    confidence: ["interpretations", "0", "nluConfidence", "score"],
    ranking: { list: ["interpretations"], name: ["intent", "name"], confidence: ["nluConfidence", "score"] },
    none: ["FallbackIntent"],
  },
  nlpjs: {
    ...own,
    predicted: ["intent"],
    confidence: ["score"],
    ranking: { list: ["classifications"], name: ["intent"], confidence: ["score"] },
    none: ["None"],
  },
} as const satisfies Readonly<Record<string, PredictionMapping>>;
export type PredictionFormat = keyof typeof predictionMappings;

/**
 * The value at a path; undefined if the row has no such field.
 * @param predicted  the workflow that `<predicted>` stands for
 */
export function valueAt(row: unknown, path: FieldPath, predicted?: string): unknown {
  let value: unknown = row;
  for (const step of path) {
    const key = step === "<predicted>" ? (predicted ?? "") : step;
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
