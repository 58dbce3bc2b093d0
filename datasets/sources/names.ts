import { wordsOfLabel } from "../draft/workflow-ids.js";
import type { SourcePart } from "./parsed-source.js";

/** A name normalised for comparison: lower case, letters and digits only. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

const list = (names: string): readonly string[] => names.split(" ");

/**
 * Names of the fields of labelled requests in common formats, normalised by `plainName`; preferred names first. This
 * table is the only vendor-specific knowledge: files are read by structure.
 */
export const names = {
  text: list(
    "text utterance utt usertext userutterance customermessage request query question message instruction sentence " +
      "phrase prompt input body example sample content description descriptiontext details detail narrative data summary subject title usersays requesttext comment feedback transcript command issue problem " +
      "anfrage frage nachricht satz pregunta mensaje texto consulta demande phrases messagetext domanda messaggio " +
      "testo pergunta mensagem pytanie tekst 问题 问句 文本 用户问题 内容 質問 発話 テキスト 질문 문장",
  ),
  label: list(
    "workflowid workflow intent intentname label labels category intentlabel intents labelname target route " +
      "topic tag tags class expected queue team department assignmentgroup assignedto assignedteam component components group categories " +
      "domain skill action type task taskname choice annotation annotations cats accept assert absicht kategorie thema abteilung bereich intencion categoria etiqueta tema " +
      "intention categorie etiquette theme service intento 意图 意圖 标签 类别 分类 意図 ラベル 分類 カテゴリ 의도 라벨",
  ),
  groupName: list("intent intentname tag name displayname label category route class domain topic id title"),
  texts: list(
    "utterances sampleutterances samples examples patterns phrases trainingphrases sentences usersays questions " +
      "queries texts requests expressions trainingutterances trainingexamples commonexamples training triggers inputs positive positives",
  ),
  /** Last words of the name of such a list, as in `triggerQueries` or `example_sentences`, and words that rule it out. */
  textsWords: list("utterances phrases queries questions expressions sentences examples samples"),
  otherTexts: list(
    "negative counter bot agent response responses answer answers prompt prompts test entity synonym slot",
  ),
  tests: list("tests testutterances testexamples testset"),
  /** A list of texts without a workflow. */
  outside: list("counterexamples negativeexamples outofscope oos"),
  /** Parts of an export without user requests: their texts are answers, values or settings. */
  skipped: list(
    "entities entitysynonyms synonyms regexfeatures lookuptables slots slottypes types dialognodes dialog prompts " +
      "responses answers actions messages lists expansionrules skipwords forms rules closedlists metadata variables " +
      "patternanyentities regexentities phraselists slotmappings fulfillment webhooks settings options lookups",
  ),
  part: list("split part role fold partition set dataset subset usage"),
  role: list("role speaker sender from author participant who party actor sendertype authortype side"),
  /** The first line of a message, and what follows it. */
  subject: list("subject title summary betreff titel asunto oggetto objet headline"),
  body: list("description body message text content details comment beschreibung nachricht mensaje messaggio"),
  words: {
    user: list(
      "user customer contact client member caller visitor guest human requester kunde usuario cliente utilisateur",
    ),
    bot: list(
      "bot agent assistant system reply response answer output completion generated advisor operator resolution " +
        "solution replies responses antwort respuesta reponse resposta risposta losung 回答 答案 回复 応答 返答 답변",
    ),
    derived: list(
      "annot annotated annotation clean cleaned normalized normalised tokenized tokens lemmas lemmatized masked " +
        "preprocessed processed translated translation stemmed delexicalized embedding pos",
    ),
    decided: list(
      "correct corrected true gold golden human expected actual verified reviewed final manual truth confirmed " +
        "annotator adjudicated reference",
    ),
    predicted: list(
      "predicted pred preds prediction predictions bot model detected guess guessed auto automatic suggested " +
        "suggestion suggestions system top inferred classifier estimated machine ai nlu llm hypothesis hyp yhat engine old",
    ),
    /** What was done with a request; such a column may hold its label. */
    handled: list("handled handling kind reason routed sorted filed bucket subcategory"),
    /** People and places, which have many rows each, as labels have. */
    places: list("clerk employee staff worker assignee by flat unit room building site office branch store company"),
    /** Facts about a request that do not determine its workflow. */
    aside: list(
      "priority severity urgency status state language lang locale sentiment channel source country region city date " +
        "time timestamp created updated day month year id uuid url email phone name user agent author score confidence " +
        "probability version gender age plan device platform worker flags turn role speaker tone emotion sla nr no " +
        "number index prioritat prioridad sprache idioma langue datum fecha estado rating customer tier",
    ),
  },
} as const;

/** Columns that place a row in a conversation, by their name as `plainName` gives it. */
export const conversationNames = {
  id: /^(?:conversation|dialogue|dialog|session|thread|chat)(?:id)?$/,
  turn: /^(?:turn|sequence|seq|position)(?:id|index|number|no)?$/,
  previous: /^(?:prev|previous)(?:workflow|intent|label)(?:id)?$/,
} as const;

/** Ambiguous names of texts, which count only in a table. */
const vagueTexts = list(
  "content subject description details detail narrative data summary title body input example sample",
);

/** Names that unambiguously denote one text. */
export const sureTexts: readonly string[] = names.text.filter((name) => !vagueTexts.includes(name));

/** Names of parts in published datasets and folders. */
export const partWords: Readonly<Record<string, SourcePart>> = {
  train: "train",
  training: "train",
  val: "validation",
  valid: "validation",
  validation: "validation",
  dev: "validation",
  test: "test",
  tests: "test",
  testing: "test",
  eval: "test",
};

/** Kind of speaker by the name in a column or message. */
export const speakers: Readonly<Record<string, "user" | "other">> = Object.fromEntries([
  ...list("user human customer client contact member caller visitor guest requester enduser kunde usuario 用户").map(
    (name) => [name, "user"] as const,
  ),
  ...list(
    "assistant bot agent admin teammate system model gpt ai operator advisor tool function support chatbot kundenservice",
  ).map((name) => [name, "other"] as const),
]);

/** Meaning of a column name. Scores: higher is a better match; 0: no match. */
export interface NameMeaning {
  readonly text: number;
  readonly label: number;
  /** The name refers to the user but contains no word for text, e.g. "user". */
  readonly speaker: boolean;
  /** Written by a bot or an agent, or derived from another column; not a user request. */
  readonly answer: boolean;
  /** Predicted by a program; never the ground truth. */
  readonly predicted: boolean;
  /** A fact about the request, not a workflow. */
  readonly aside: boolean;
  /** How well the name fits a label where none is certain: 1 well, 0 unknown, -1 badly. */
  readonly labelFit: -1 | 0 | 1;
}

/**
 * Label score of a name that contains a word for a human decision but none for a label. Its values must look like
 * labels.
 */
export const decidedOnly = 6;

/** Interprets the name of a column. The name of a nested field is its path, whose last part also counts. */
export function meaningOf(name: string): NameMeaning {
  const words = wordsOfLabel(name);
  const has = (kind: readonly string[]): boolean => words.some((word) => kind.includes(word));
  const { user, bot, derived, decided, predicted, aside } = names.words;
  const text = nounScore(name, words, names.text);
  const label = isReference(words) ? 0 : nounScore(name, words, names.label);
  const bySpeaker = has(user);
  const byPerson = has(decided);
  const noLabel = label === 0;
  const answer = !bySpeaker && has([...bot, ...derived]);
  const guessed = !byPerson && has(predicted);
  const saidByUser = bySpeaker && noLabel;
  const ofLabel = byPerson ? decidedScore(label, words) : label;
  return {
    text: answer ? 0 : saidByUser ? scoreOfSaid(text) : text,
    label: guessed ? 0 : ofLabel,
    speaker: saidByUser && words.every((word) => user.includes(word) || !aside.includes(word)),
    answer,
    predicted: guessed,
    aside: noLabel && !byPerson && has(aside),
    labelFit: fitOfName(words, noLabel),
  };
}

const scoreOfSaid = (text: number): number => (text > 0 ? 9 : 0);

/** How well a name fits a list of nouns: as a whole, by its last part, or by one of its words. */
function nounScore(name: string, words: readonly string[], all: readonly string[]): number {
  const leaf = name.slice(name.lastIndexOf(".") + 1);
  const rank = (one: string, best: number): number => (all.includes(one) ? best - all.indexOf(one) / all.length : 0);
  return Math.max(rank(plainName(name), 8), rank(plainName(leaf), 7), ...words.map((word) => rank(word, 4)));
}

/** Whether a name is that of a reference to a record elsewhere, such as `group_id`. */
const isReference = (words: readonly string[]): boolean =>
  words.length > 1 && words.at(-1) === "id" && !["workflow", "intent", "label"].includes(words.at(-2) ?? "");

function fitOfName(words: readonly string[], noLabel: boolean): NameMeaning["labelFit"] {
  const { handled, places } = names.words;
  const has = (kind: readonly string[]): boolean => words.some((word) => kind.includes(word));
  if (has(places)) return -1;
  return noLabel && !has(handled) ? 0 : 1;
}

const decidedScore = (label: number, words: readonly string[]): number =>
  label > 0 ? 10 : words.length === 1 ? decidedOnly : 0;

export function isTextsName(key: string): boolean {
  if (isNamed(key, names.texts)) return true;
  const words = wordsOfLabel(key);
  const last = words.at(-1) ?? "";
  const isSaid =
    words.some((word) => names.words.user.includes(word)) && ["inputs", "messages", "texts"].includes(last);
  return (names.textsWords.includes(last) || isSaid) && !words.some((word) => names.otherTexts.includes(word));
}

export const isNamed = (key: string, wanted: readonly string[]): boolean => wanted.includes(plainName(key));
