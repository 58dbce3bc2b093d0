import { wordsOfLabel } from "../draft/workflow-ids.js";
import type { SourcePart } from "./parsed-source.js";

/** A name as it is compared: lower case, letters and digits only. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

const list = (names: string): readonly string[] => names.split(" ");

/**
 * What formats and people call the parts of labelled requests, as `plainName` writes them; preferred names first. This
 * table is all that Sluice knows about vendors: their files are read by structure.
 */
export const names = {
  /** One text that a user said. */
  text: list(
    "text utterance utt usertext userutterance customermessage request query question message instruction sentence " +
      "phrase prompt input body example sample content subject description summary title usersays requesttext comment feedback transcript command issue problem " +
      "anfrage frage nachricht satz pregunta mensaje texto consulta demande phrases messagetext domanda messaggio " +
      "testo pergunta mensagem pytanie tekst 问题 问句 文本 用户问题 内容 質問 発話 テキスト 질문 문장",
  ),
  /** The workflow that a text belongs to. */
  label: list(
    "workflowid workflow intent intentname label labels category intentlabel intents labelname class target route " +
      "topic tag tags expected queue team department assignmentgroup assignedto assignedteam group categories " +
      "domain skill action type assert absicht kategorie thema abteilung bereich intencion categoria etiqueta tema " +
      "intention categorie etiquette theme service intento 意图 意圖 标签 类别 分类 意図 ラベル 分類 カテゴリ 의도 라벨",
  ),
  /** The name of a group of texts, or the object that holds it. */
  groupName: list("intent intentname tag name displayname label category route class domain topic id title"),
  /** A list of texts. */
  texts: list(
    "utterances sampleutterances samples examples patterns phrases trainingphrases sentences usersays questions " +
      "queries texts requests expressions trainingutterances trainingexamples commonexamples training triggers",
  ),
  /** A list of texts that only measure. */
  tests: list("tests testutterances testexamples testset"),
  /** A list of texts that belong to no workflow. */
  outside: list("counterexamples negativeexamples outofscope oos"),
  /** Parts of an export that hold no requests of users: their texts are answers, values or settings. */
  skipped: list(
    "entities entitysynonyms synonyms regexfeatures lookuptables slots slottypes types dialognodes dialog prompts " +
      "responses answers actions messages lists expansionrules skipwords forms rules closedlists metadata variables " +
      "patternanyentities regexentities phraselists slotmappings fulfillment webhooks settings options lookups",
  ),
  part: list("split part role fold partition set dataset subset usage"),
  role: list("role speaker sender from author participant who party actor sendertype authortype side"),
  /** Words of a column name. */
  words: {
    user: list("user customer client member caller visitor guest human requester kunde usuario cliente utilisateur"),
    bot: list(
      "bot agent assistant system reply response answer output completion generated advisor operator resolution " +
        "solution replies responses antwort respuesta reponse resposta risposta losung 回答 答案 回复 応答 返答 답변",
    ),
    derived: list(
      "annot annotated annotation clean cleaned normalized normalised tokenized tokens lemmas lemmatized masked " +
        "preprocessed processed translated translation stemmed delexicalized embedding pos",
    ),
    /** What a person decided. */
    decided: list(
      "correct corrected true gold golden human expected actual verified reviewed final manual truth confirmed " +
        "annotator adjudicated reference",
    ),
    predicted: list(
      "predicted pred preds prediction predictions bot model detected guess guessed auto automatic suggested " +
        "suggestion system top inferred classifier estimated machine ai nlu llm hypothesis hyp yhat engine old",
    ),
    /** Facts about a request that do not say where it goes. */
    aside: list(
      "priority severity urgency status state language lang locale sentiment channel source country region city date " +
        "time timestamp created updated day month year id uuid url email phone name user agent author score confidence " +
        "probability version gender age plan device platform worker flags turn role speaker tone emotion sla nr no " +
        "number index prioritat prioridad sprache idioma langue datum fecha estado rating customer tier",
    ),
  },
} as const;

/** Names of texts that also name other things: they count in a table only. */
const vagueTexts = list("content subject description summary title body input example sample");

/** Names that say "one text" without a doubt. */
export const sureTexts: readonly string[] = names.text.filter((name) => !vagueTexts.includes(name));

/** Parts as published sets and folders name them. */
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

/** The speaker, where a column or a message names one. */
export const speakers: Readonly<Record<string, "user" | "other">> = Object.fromEntries([
  ...list("user human customer client member caller visitor guest requester enduser kunde usuario 用户").map(
    (name) => [name, "user"] as const,
  ),
  ...list("assistant bot agent system model gpt ai operator advisor tool function support chatbot kundenservice").map(
    (name) => [name, "other"] as const,
  ),
]);

/** What the name of a column says about it. Scores: higher fits better; 0: the name says nothing. */
export interface NameMeaning {
  readonly text: number;
  readonly label: number;
  /** A user speaks, without a word for text: "user". */
  readonly speaker: boolean;
  /** Written by a bot or an agent, or derived from another column: no request of a user. */
  readonly answer: boolean;
  /** What a program said about the text: never the truth. */
  readonly predicted: boolean;
  /** A fact that is not a workflow. */
  readonly aside: boolean;
}

/** A label by a word that a person decided, without a word for labels: it needs values like labels. */
export const decidedOnly = 6;

/** Reads the name of a column; a nested field is named by its path, and its last part counts too. */
export function meaningOf(name: string): NameMeaning {
  const words = wordsOfLabel(name);
  const has = (kind: readonly string[]): boolean => words.some((word) => kind.includes(word));
  const leaf = name.slice(name.lastIndexOf(".") + 1);
  const noun = (all: readonly string[]): number => {
    const rank = (one: string, best: number): number => (all.includes(one) ? best - all.indexOf(one) / all.length : 0);
    return Math.max(rank(plainName(name), 8), rank(plainName(leaf), 7), ...words.map((word) => rank(word, 4)));
  };
  const { user, bot, derived, decided, predicted, aside } = names.words;
  const [text, label] = [noun(names.text), noun(names.label)];
  const bySpeaker = has(user);
  const byPerson = has(decided);
  const noLabel = label === 0;
  const answer = !bySpeaker && has([...bot, ...derived]);
  const guessed = !byPerson && has(predicted);
  const saidByUser = bySpeaker && noLabel;
  const ofLabel = byPerson ? decidedScore(label, words) : label;
  return {
    text: answer ? 0 : Math.max(text, saidByUser && text > 0 ? 9 : 0),
    label: guessed ? 0 : ofLabel,
    speaker: saidByUser && words.every((word) => user.includes(word) || !aside.includes(word)),
    answer,
    predicted: guessed,
    aside: noLabel && !byPerson && has(aside),
  };
}

const decidedScore = (label: number, words: readonly string[]): number =>
  label > 0 ? 10 : words.length === 1 ? decidedOnly : 0;

/** Whether a name of a field is in a list of the table. */
export const isNamed = (key: string, wanted: readonly string[]): boolean => wanted.includes(plainName(key));
