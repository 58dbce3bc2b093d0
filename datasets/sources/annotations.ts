import { isNamed } from "./names.js";
import { isJsonObject, type JsonObject, textAt } from "./parse-json.js";

/** Parts of an annotation file that a program wrote. */
const machineParts = ["suggestion", "suggestions", "prediction", "predictions", "preannotations"];
/** Lists of what people decided about a record. */
const decisions = ["annotations", "completions", "responses"];
/** Lists of things with a name that label a record. */
const namedLabels = ["tags", "labels", "categories", "topics"];
const scoredLabels = ["cats", "label", "labels", "categories", "classifications", "intents"];

/** Words of an annotator for a record or an answer that must not be used. */
export const rejections: ReadonlySet<string> = new Set(
  "reject rejected ignore ignored skip skipped cancel cancelled canceled discard discarded pending draft".split(" "),
);
/** Words of an annotator for one that may be used. */
export const acceptances: ReadonlySet<string> = new Set(
  "accept accepted approve approved submitted completed validated done".split(" "),
);
/** Fields with such words. */
export const verdictNames = [
  "answer",
  "status",
  "annotationstatus",
  "reviewstatus",
  "review",
  "verdict",
  "wascancelled",
];

/** Maximum depth of the search. */
const deepest = 12;

/**
 * The records of annotation tools as flat records: suggestions of programs are dropped, and what people decided becomes
 * a list of labels. Any other value stays as it is.
 */
export function withoutSuggestions(value: unknown): unknown {
  return settled(value, false, 0);
}

function settled(value: unknown, isRecord: boolean, depth: number): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value))
    return (value as readonly unknown[]).map((item) => settled(asRecord(item), true, depth + 1));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner !== "object" || inner === null) return [[key, inner] as const];
    if (isRecord && isNamed(key, machineParts)) return [];
    const labels = isRecord ? labelsOf(key, inner) : null;
    return labels === null ? [[key, settled(inner, isRecord, depth + 1)] as const] : decided(key, labels, inner);
  });
  return Object.fromEntries(entries);
}

/** A pair of a text and its facts, as spaCy writes it, as one object. */
function asRecord(item: unknown): unknown {
  if (!Array.isArray(item) || item.length !== 2) return item;
  const [text, facts] = item as readonly unknown[];
  return typeof text === "string" && isJsonObject(facts) ? { text, ...facts } : item;
}

function decided(key: string, labels: readonly string[], inner: object): readonly (readonly [string, unknown])[] {
  const isRejected = Array.isArray(inner) && inner.length > 0 && inner.every(isRejectedAnswer);
  return [[key, labels], ...(isRejected ? [["was_cancelled", true] as const] : [])];
}

const isRejectedAnswer = (answer: unknown): boolean =>
  isJsonObject(answer) &&
  (answer["was_cancelled"] === true ||
    rejections.has((textAt(answer, "status") ?? textAt(answer, "answer") ?? "").toLowerCase()));

/** The labels that a field of a record holds; null for any other field. */
function labelsOf(key: string, inner: object): readonly string[] | null {
  if (!Array.isArray(inner))
    return isNamed(key, scoredLabels) ? scored(inner as JsonObject) : choicesIn(inner as JsonObject);
  const items = inner as readonly unknown[];
  if (items.length === 0 || !items.every(isJsonObject)) return null;
  const names = isNamed(key, namedLabels) ? items.map((item) => nameIn(item)) : [];
  if (names.length > 0 && names.every((name) => name !== null)) return names;
  return isAnswers(key, items)
    ? [...new Set(items.filter((item) => !isRejectedAnswer(item)).flatMap(decidedIn))]
    : null;
}

/** Whether a list holds the answers of annotators. */
function isAnswers(key: string, items: readonly JsonObject[]): boolean {
  const isAnswer = items.every((item) => "result" in item || "value" in item || "choices" in item);
  return isNamed(key, decisions) ? isAnswer || items.flatMap(decidedIn).length > 0 : isAnswer && items.some(isJudged);
}

const isJudged = (item: JsonObject): boolean => "status" in item || "result" in item;

/** The name of an object that has only plain facts besides. */
function nameIn(item: JsonObject): string | null {
  if (Object.values(item).some((value) => typeof value === "object" && value !== null)) return null;
  return textAt(item, "name") ?? textAt(item, "label") ?? textAt(item, "title") ?? textAt(item, "value");
}

/** `{"choices": [...]}` */
function choicesIn(value: JsonObject): readonly string[] | null {
  const { choices } = value;
  return Array.isArray(choices) && choices.every((choice) => typeof choice === "string") ? choices : null;
}

/** Names of the categories with a score of one half or more; null for anything but a map of scores. */
function scored(value: JsonObject): readonly string[] | null {
  const scores = Object.entries(value).map(([name, score]) => [name, Number(score)] as const);
  const isScore = (score: unknown): boolean =>
    typeof score === "boolean" || (typeof score === "number" && score >= 0 && score <= 1);
  if (scores.length < 2 || !Object.values(value).every(isScore)) return choicesIn(value);
  return scores.filter(([, score]) => score >= 0.5).map(([name]) => name);
}

/** The end of a path in a taxonomy, as an answer. */
const pathEnd = (item: unknown): unknown => (Array.isArray(item) ? { value: item.at(-1) as unknown } : item);

/** All names that one answer gives, at the fields that hold them. */
function decidedIn(answer: unknown): readonly string[] {
  if (!isJsonObject(answer)) return [];
  return Object.entries(answer).flatMap(([key, inner]): readonly string[] => {
    if (isNamed(key, machineParts)) return [];
    if (
      !isNamed(key, [
        "value",
        "values",
        "result",
        "results",
        "choice",
        "choices",
        "label",
        "labels",
        "category",
        "answer",
        "taxonomy",
      ])
    )
      return [];
    if (typeof inner === "string") return key === "answer" && rejections.has(inner) ? [] : [inner];
    return Array.isArray(inner)
      ? (inner as readonly unknown[]).flatMap((item) => (typeof item === "string" ? [item] : decidedIn(pathEnd(item))))
      : decidedIn(inner);
  });
}
