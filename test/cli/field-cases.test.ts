import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LeftOutReason, leftOutReasons } from "../../src/documents/choices.js";
import { counted } from "../../src/documents/number-text.js";
import { assert, inTemporaryFolder, shared, test, testWithShared } from "../support/test.js";
import { sluice } from "./support/sluice.js";

/**
 * Files as people bring them, from a folder outside of the project. Each has a page `expected.txt`; what a program can
 * check of it is here.
 */

interface Expected {
  /** Input below the case's folder; default: its only file or folder. */
  readonly input?: string;
  readonly code?: number;
  readonly workflows?: number;
  /** Labelled texts that are used. */
  readonly texts?: number;
  readonly outOfScope?: number;
  /** What the output says. */
  readonly says?: readonly RegExp[];
  readonly never?: readonly RegExp[];
  /** What catalog.yaml holds, and what it does not. */
  readonly catalog?: readonly RegExp[];
  readonly notInCatalog?: readonly RegExp[];
}

const six = { workflows: 6, texts: 72 } as const;
const noClaim = /None: no request is labelled/;
const tools = { workflows: 6, texts: 0, says: [noClaim] } as const;
const withNone = { ...six, outOfScope: 12 } as const;
const columns = (text: string, label: string) => [new RegExp(`Texts come from "${text}", labels from "${label}"`)];
const entityMarks = [/\]\(|\]\{|\{"entity/];

const cases: Readonly<Record<string, Expected | readonly Expected[]>> = {
  "alexa-model": { ...six, says: [/AMAZON\.StopIntent/, /AMAZON\.FallbackIntent/] },
  "answer-column-variants": [
    { ...six, input: "a2.csv", says: columns("instruction", "intent") },
    { ...six, input: "a4.csv", says: columns("utt", "intent") },
    { ...six, input: "a6.csv", says: columns("user_message", "intent") },
    { ...six, input: "a7.csv", says: columns("frage", "kategorie") },
  ],
  "anthropic-mixed": { ...tools, says: [noClaim, /Skipped, [^\n]*: bash\./] },
  "atis-multilabel": {
    workflows: 6,
    texts: 66,
    says: [/6 rows have several labels: left out/, /2 rows name their label twice/],
    never: [/pay_fee_pay_fee|pay_fee_atis/],
  },
  "bedrock-toolspec": tools,
  "bitext-csv": { ...six, says: columns("instruction", "intent") },
  "bot-lu": withNone,
  "botium-folder": { ...six, says: [/hello\.convo\.txt/] },
  "botpress-intents": six,
  "chat-finetune-jsonl": six,
  "chatito-dsl": six,
  "chinese-labels": { workflows: 5, says: [/script|Han|Chinese/] },
  "clu-multilingual": withNone,
  "conflict-by-case": {
    workflows: 6,
    texts: 70,
    says: [...columns("text", "intent"), /5 rows: the same text occurs with another label/],
  },
  "csv-broken-quotes": {
    workflows: 6,
    texts: 71,
    says: [...columns("text", "intent"), /1 row: the row has more cells than the header/],
  },
  "csv-comma-in-text": {
    workflows: 6,
    texts: 63,
    says: [...columns("text", "intent"), /9 rows: the row has more cells than the header/],
  },
  "customer-agent-csv": { ...six, says: columns("customer_message", "topic") },
  "deeppavlov-catcher": six,
  "dialogflow-two-languages": { ...six, says: [/de \(\d+\)/] },
  "dup-headers": { ...six, says: [...columns("text", "intent"), /"intent \(2\)"/] },
  "email-threads": { says: [/quoted|signature/, /100 %/, /--clean/] },
  "emoji-texts": { workflows: 6, texts: 76, says: columns("text", "intent"), catalog: [/👍|🙏/] },
  "excel-sep-line": { ...six, says: columns("Anfrage", "Abteilung") },
  "fasttext-labels": six,
  "fasttext-multilabel": { ...six, says: [/11 rows have several labels, one of them "urgent"/] },
  "float-labels": { ...six, says: [/number/, /workflow-ids\.csv/] },
  "gemini-function-declarations": tools,
  "gold-and-predicted": { ...six, says: columns("text", "correct_intent") },
  "gold-column-variants": [
    { ...six, input: "g1.csv", says: columns("text", "true_label") },
    { ...six, input: "g2.csv", says: columns("text", "true_label") },
    { ...six, input: "g3.csv", says: columns("utterance", "human_label") },
    { ...six, input: "g4.csv", says: columns("Message", "Expected intent") },
  ],
  "ha-tests-yaml": six,
  "hf-dataset-folder": {
    ...six,
    says: [/Tables: data\/test\.csv, data\/train\.csv/, /README\.md/, /test texts are never examples/],
  },
  "hf-rows-api": { ...six, catalog: [/reserve_tool/] },
  "hier-separators": { ...six, says: [/also written/] },
  "html-texts": { ...six, says: [/HTML/, /--clean/] },
  imbalanced: {
    workflows: 4,
    texts: 233,
    says: [...columns("text", "intent"), /without a test request[^\n]*: join_library\./],
  },
  "intents-json-tags": { ...six, says: [/without texts were skipped: noanswer/] },
  "json-data-key": six,
  "json-list-of-pairs": { code: 2, says: [/\{"text"/] },
  "label-only-in-test": { says: [/without an example[^\n]*pay_fee/] },
  "label-variants": { ...six, says: [/also written/] },
  "levels-columns": { says: [/"Level 2"[^\n]*--label-column/] },
  "lex-v1-export": six,
  "lex-v2-export": { ...six, says: [/without texts were skipped: FallbackIntent/] },
  "luis-patterns": { ...withNone, says: [/pattern/] },
  "massive-jsonl": {
    ...six,
    says: [...columns("utt", "intent"), /"partition" marks the rows/],
    notInCatalog: [/\[\w+ : /],
  },
  "mcp-client-config": { code: 2, says: [/servers/, /tools\/list/] },
  "mcp-destructive-hint": {
    ...tools,
    catalog: [/side_effect: destructive/, /side_effect: read_only/, /exclusions:/],
    says: [/Drafted as destructive, as the source says: empty_shed, erase_member, purge_queue\./],
  },
  "mcp-no-description": { ...tools, workflows: 3 },
  "mcp-server-json": { code: 2, says: [/server/, /tools\/list/] },
  "mcp-tools-list": tools,
  "multilabel-pipe": {
    workflows: 6,
    texts: 62,
    says: [/10 rows have several labels: left out/, /2 rows name their label twice/],
  },
  "multiline-cells": { ...six, says: [/6 cells have several texts/] },
  "na-labels": {
    workflows: 6,
    texts: 72,
    outOfScope: 2,
    says: [/10 rows have a placeholder instead of a label/, /2 rows are out of scope/],
  },
  "nlpjs-none": withNone,
  "numeric-labels": { ...six, says: [/number/, /workflow-ids\.csv/] },
  "openai-functions-legacy": tools,
  "openai-responses-pure": tools,
  "openai-responses-tools": { ...tools, says: [noClaim, /Skipped, [^\n]*: web_search_preview\./] },
  "openapi-no-operationid": { ...tools, workflows: 3 },
  "openapi-swagger2": tools,
  "ovos-intent-folder": { ...six, says: [/thanks\.dialog/] },
  "pandas-orient-columns": six,
  "pandas-orient-index": six,
  "pandas-orient-split": six,
  "priority-vs-team": { ...six, says: [/labels from "assigned_to"/, /priority/] },
  "prompt-completion-jsonl": { ...six, says: columns("prompt", "completion") },
  "promptfoo-csv": { ...six },
  "promptfoo-yaml": six,
  "promptfoo-yaml-equals": six,
  "query-response-jsonl": { ...six, says: columns("query", "label") },
  "question-answer-csv": { ...six, says: columns("question", "intent") },
  "rasa-entities-json": { ...six, notInCatalog: entityMarks },
  "rasa-metadata-multi": { ...six, says: [/3 rows have several labels/], notInCatalog: entityMarks },
  "rasa-no-version": { ...six, notInCatalog: entityMarks },
  "rasa-oos-subintents": { workflows: 6, texts: 72, outOfScope: 12 },
  "rasa1-json": { ...six, notInCatalog: entityMarks },
  "rasa1-markdown": { ...six, notInCatalog: entityMarks },
  "raw-and-clean-text": { ...six, says: columns("text", "label") },
  "role-log": { ...six, says: [/72 rows: the row is not what a user said/] },
  "role-log-labelled-both": { ...six, says: [/"role"[^\n]*assistant/] },
  "semantic-router-yaml": six,
  "single-intent": { workflows: 1, texts: 12 },
  "single-intent-60": { workflows: 1, texts: 60 },
  "single-intent-plus-none": { workflows: 1, texts: 12, outOfScope: 12 },
  "snips-json": six,
  "snips-yaml": six,
  "subject-body-queue": { ...six, says: columns("body", "queue") },
  "text-equals-label": { workflows: 6, texts: 78, says: columns("text", "intent") },
  "too-long-texts": {
    workflows: 6,
    texts: 57,
    says: [...columns("text", "queue"), /15 rows: the text has more than 8,000 characters/],
  },
  "user-bot-csv": { ...six, says: columns("user", "intent") },
  "utf16-tab": six,
  "uuid-and-url": { ...six, says: columns("utterance", "intent") },
  "vllm-sr-config": tools,
  "watson-intents-csv": { ...six, says: [/no header row/] },
  "watson-skill": { ...withNone, says: [/dialog/] },
  "wide-columns": { ...six, says: [/Each column is a label/], never: [/Texts come from/] },
  "wit-utterances": { ...six, says: [/12 rows: the label is empty/] },
  "xlsx-hidden-sheet": { ...six, says: [/"Tickets" was read/, /hidden[^\n]*old/] },
  "xlsx-merged-labels": six,
  "xlsx-title-rows": { ...six, says: [/2 rows: the row is above the header/, /1 row: the label is empty/] },
};

/** Cases that no `init` of a file shows: they run or release a project, or describe a model. */
const elsewhere = new Set([
  "approve-key-before-gate",
  "auto-target-cliff",
  "bundle-extra-file",
  "concurrent-runs",
  "external-write-notice", // of every case here: the effect that is said is the one in the catalog
  "markup-only-request",
  "noisy-labels-nothing-routed",
  "one-word-dominates",
  "onnx-external-missing",
  "onnx-fixed-shape",
  "readonly-project",
]);

interface InitResult {
  readonly workflows: readonly unknown[];
  readonly rows: number;
  readonly left_out: Readonly<Record<string, number>>;
  readonly out_of_scope: number;
  readonly decisions: readonly string[];
}

const folder = shared("field", "cases");

function inputOf(name: string, { input }: Expected): string {
  const files = readdirSync(join(folder, name)).filter((file) => file !== "expected.txt");
  if (input !== undefined) return join(folder, name, input);
  const [only] = files;
  return files.length === 1 && only !== undefined ? join(folder, name, only) : join(folder, name);
}

/** A count of one with the plural of its noun. */
const wrongPlural = /\b1 (?:workflows|rows|texts|requests|labels|files|cells|columns|sheets)\b/;

/** Every text of a document. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(textsOf);
}

interface Made {
  readonly result?: InitResult;
  readonly error?: { readonly message: string };
}

/** What a case gets wrong; empty when it is right. */
async function faultsOf(name: string, expected: Expected): Promise<readonly string[]> {
  return inTemporaryFolder(async (cwd) => {
    const input = inputOf(name, expected);
    const { code, stdout } = await sluice(["init", input, "--into", "p", "--owner", "me", "--json"], { cwd });
    const made = JSON.parse(stdout) as Made;
    const leftOut = Object.entries(made.result?.left_out ?? {}).map(
      ([reason, count]) => `${counted(count, "row")}: ${leftOutReasons[reason as LeftOutReason]}`,
    );
    const said = [...textsOf(made), ...leftOut].join("\n");
    const faults = [
      ...(code === (expected.code ?? 0) ? [] : [`exit ${code}: ${made.error?.message ?? ""}`]),
      ...missing(said, expected.says).map((text) => `does not say ${text}`),
      ...found(said, [...(expected.never ?? []), wrongPlural]).map((text) => `says ${text}`),
    ];
    return made.result === undefined ? faults : [...faults, ...(await faultsOfProject(cwd, made.result, expected))];
  });
}

const missing = (text: string, wanted: readonly RegExp[] = []): readonly string[] =>
  wanted.filter((one) => !one.test(text)).map(({ source }) => source);
const found = (text: string, refused: readonly RegExp[] = []): readonly string[] =>
  refused.filter((one) => one.test(text)).map(({ source }) => source);

async function faultsOfProject(cwd: string, made: InitResult, expected: Expected): Promise<readonly string[]> {
  const catalog = await readFile(join(cwd, "p", "catalog.yaml"), "utf8");
  const leftOut = Object.values(made.left_out).reduce((sum, count) => sum + count, 0);
  const counts = [
    ["workflows", made.workflows.length, expected.workflows],
    ["texts", made.rows - leftOut - made.out_of_scope, expected.texts],
    ["out of scope", made.out_of_scope, expected.outOfScope],
  ] as const;
  const stated = /are drafted as (\w+), with/.exec(made.decisions.join("\n"))?.[1];
  return [
    ...(stated === undefined || catalog.includes(`side_effect: ${stated}`) ? [] : [`catalog: no effect ${stated}`]),
    ...counts.flatMap(([what, count, wanted]) =>
      wanted === undefined || count === wanted ? [] : [`${what}: ${count}, not ${wanted}`],
    ),
    ...missing(catalog, expected.catalog).map((text) => `catalog: no ${text}`),
    ...found(catalog, expected.notInCatalog).map((text) => `catalog: ${text}`),
  ];
}

testWithShared(test, "every file that people brought gives its right value", async () => {
  const known = existsSync(folder) ? readdirSync(folder).filter((name) => !elsewhere.has(name)) : [];
  const failed: string[] = [];
  for (const name of known) {
    const expected = cases[name];
    if (expected === undefined) {
      failed.push(`${name}: no expectation here`);
      continue;
    }
    for (const one of Array.isArray(expected) ? (expected as readonly Expected[]) : [expected as Expected]) {
      const faults = await faultsOf(name, one).catch((error: unknown) => [String(error)]);
      if (faults.length > 0) failed.push(`${[name, one.input].filter(Boolean).join("/")}: ${faults.join("; ")}`);
    }
  }
  assert.is(failed.length, 0, `${failed.length} cases fail:\n${failed.join("\n")}`);
});
