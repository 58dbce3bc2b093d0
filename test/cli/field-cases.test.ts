import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
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
  /** Exit code; default 0, or 2 for a case that is refused on purpose. */
  readonly code?: number;
  /** Why the case is refused or asked about on purpose. */
  readonly refused?: string;
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

const eight = { workflows: 8, texts: 112 } as const;
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
  "email-threads": { says: [/quoted|signature/, /100%/, /--clean/] },
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
  "a2a-agent-card": { workflows: 8, texts: 64 },
  "ai-sdk-tools-map": tools,
  "argilla-hf-flat": { ...eight, says: columns("text", "label.responses") },
  "argilla-records": {
    workflows: 8,
    texts: 98,
    says: [/7 rows have several labels/, /7 rows: the annotator did not accept the label/],
    notInCatalog: [/suggest/],
  },
  "asr-transcripts": { ...eight, outOfScope: 16 },
  "botpress12-qna-and-languages": { workflows: 9, texts: 115, outOfScope: 16, says: [/fr \(\d+\)/] },
  "catch-all-labels": { says: [/"Not relevant"/, /"General inquiry"/, /--out-of-scope-label/] },
  "chat-tools-call-log": { ...eight, says: columns("messages.user", "intent") },
  "chat-transcript-all-labelled": { ...eight, says: [/112 rows: the row is not what a user said/] },
  "chat-transcript-turns": { ...eight, says: [/112 rows: the row is not what a user said/] },
  "chatfuel-ai-rules": { ...eight, says: columns("User says", "Block") },
  "chatwoot-labels-list": { ...eight, says: [/labels from "labels"/, /"vip", which never occurs alone/] },
  "clean-before-length": { workflows: 8, texts: 20 },
  "clu-train-test": { ...eight, outOfScope: 16 },
  "competition-train-test-labels": {
    refused: "the texts are in one file and their labels in another",
    says: [/train_labels\.csv seems to hold the labels/, /Join the two files by the column "id"/],
  },
  "conflict-across-splits": { says: [/40 rows: the same text occurs with another label/] },
  "constant-category-column": { workflows: 8, texts: 60, says: columns("text", "queue") },
  "constant-type-column": { workflows: 8, texts: 60, says: columns("sentence", "taskName") },
  "csv-gz": eight,
  "dialogflow-cx-mac-zip": { texts: 116, outOfScope: 16 },
  "doccano-csv-hash": { ...eight, says: [/"urgent", which never occurs alone/] },
  "doccano-jsonl": { workflows: 8, texts: 109, says: [/3 rows: the label is empty/] },
  "documents-input": { ...eight, says: columns("input", "intent") },
  "double-encoded-mojibake": { ...eight, says: [/112 texts were encoded twice/], notInCatalog: [/Ã|â€/] },
  "dspy-openai-evals-jsonl": eight,
  "dup-across-splits": { says: [/30 rows: the same text with the same label/] },
  "emoji-labels": eight,
  "expressions-nested": eight,
  "file-per-label": eight,
  "folder-per-label": eight,
  "follow-up-turn": { ...eight, outOfScope: 16 },
  "freshdesk-api": { ...eight, says: columns("description_text", "type"), notInCatalog: [/<p>/] },
  "genesys-nlu-domain": { ...eight, outOfScope: 16 },
  "github-actions-folder": { refused: "files of a build are no requests", says: [/no table/] },
  "google-discovery": {
    refused: "a discovery document is converted to OpenAPI",
    says: [/Google API discovery/, /OpenAPI/],
  },
  "greeting-thanks-labels": { workflows: 12, texts: 144 },
  "hf-dataset-infos-csv": { ...eight, catalog: [/book_lane/] },
  "hf-parquet-classlabel": { ...eight, catalog: [/book_lane/], says: [/test texts are never examples/] },
  "hf-readme-class-label": { ...eight, catalog: [/book_lane/], says: [/test texts are never examples/] },
  "hf-save-to-disk": { refused: "Arrow is not read", says: [/Arrow/, /to_parquet/] },
  "hubspot-tickets": { ...eight, says: columns("Ticket description", "Category") },
  "intercom-conversations": { ...eight, says: [/labels from "tags\.tags"/, /HTML/] },
  "japanese-headers-english-texts": { ...eight, says: [/Shift_JIS/] },
  "jira-repeated-columns": { ...eight, says: columns("Description", "Component/s") },
  "jovo-model": eight,
  "kore-ml-utterances": { ...eight, says: columns("sentence", "taskName") },
  "label-slashes-prefixes": eight,
  "label-studio-csv": { workflows: 8, texts: 99, says: [/13 rows have several labels/], notInCatalog: [/choices/] },
  "label-studio-json": {
    workflows: 8,
    texts: 99,
    says: [/7 rows have several labels/, /6 rows: the annotator did not accept the label/],
  },
  "label-studio-json-min": { workflows: 8, texts: 104, says: [/8 rows have several labels/] },
  "labels-1200": { workflows: 1200, texts: 4800 },
  "langchain-args-schema": tools,
  "lex2-two-locales": { ...eight, says: [/es[-_]ES \(16\)/] },
  "llamaindex-metadata": { ...tools },
  "long-mails": { says: [/6 rows: the text has more than 8,000 characters/, /at most 1,000 characters|--clean/] },
  "lu-composer-marks": { ...eight, notInCatalog: [/\{@/] },
  "lu-nested-entity": { workflows: 2, texts: 4, notInCatalog: [/\{@/] },
  "mcpb-manifest": { ...tools },
  "mindmeld-domains": { ...eight, notInCatalog: [/\|/], says: [/test texts are never examples/] },
  "multi-intent-requests": { ...eight, outOfScope: 16 },
  "multilingual-lang-column": { workflows: 4, texts: 80, says: [/do not seem to be in English/] },
  "n8n-workflow-export": { refused: "steps of an automation are no tools", says: [/automation/] },
  "negated-request": { ...eight, outOfScope: 16 },
  "nfc-nfd-labels": eight,
  "one-hot-columns": { ...eight, says: [/Labels are the columns marked in a row: "book_lane"/] },
  "one-row-type-message": { refused: "messages without labels", says: [/no column seems to hold the label/] },
  "one-word-texts-and-labels": { refused: "one word may be a text or a label", says: [/--text-column Keyword/] },
  "only-test-file": { workflows: 8, texts: 60, says: [/train\.csv \(no label column\)/] },
  "openapi-400-ops": { workflows: 384, texts: 0, says: [/Deprecated operations were skipped/] },
  "openapi-label-property": { workflows: 2, texts: 0, catalog: [/list_lanes/, /side_effect: read_only/] },
  "openapi-long-colliding-ids": { workflows: 4, texts: 0, says: [/cut to 128 characters/], catalog: [/tool_name/] },
  "pandas-category-parquet": eight,
  "parquet-nested-list": eight,
  "pipe-delimited-quotes": eight,
  "portuguese-headers": { ...eight, says: columns("Mensagem do cliente", "Assunto") },
  "postman-collection": { refused: "a collection is exported as OpenAPI", says: [/Postman/, /OpenAPI/] },
  "prodigy-binary-reject": { ...eight, says: [/43 rows: the annotator did not accept the label/] },
  "python-literal-lines": { refused: "Python literals are not JSON", says: [/single quotes/, /json\.dumps/] },
  "readme-as-intents": { ...eight, says: [/Skipped files: [^\n]*README\.md/], notInCatalog: [/install/i] },
  "requester-column": { workflows: 8, texts: 60, says: columns("Description", "Group") },
  "servicenow-html-xls": { refused: "HTML is not read", says: [/HTML/, /\.xlsx or CSV/] },
  "servicenow-nlu-csv": { ...eight, says: columns("Utterance", "Intent") },
  "servicenow-table-api": { ...eight, says: [/"short_description"/, /"assignment_group/] },
  "single-column-prefix": eight,
  "skewed-labels": { workflows: 5, texts: 520, says: [/464 of 520 texts \(89%\) have the label "book_lane"/] },
  "slack-export": {
    refused: "messages without labels",
    says: [/no column seems to hold the label/],
    never: [/--label-column user/],
  },
  "sql-dump": { refused: "SQL is not read", says: [/SQL/, /CSV/] },
  "sqlite-file": { refused: "a database is not read", says: [/SQLite/, /sqlite3 -header -csv/] },
  "support-tickets-kaggle-style": {
    says: [...columns("Ticket Description", "Ticket Type"), /"Ticket Priority"/, /860 rows: the same text/],
  },
  "tag-columns": { ...eight, says: columns("Message", "TAG1") },
  "three-level-columns": { ...eight, workflows: 2, says: [/"Subcategory"/, /"Item"/] },
  "three-rows": { workflows: 3, texts: 3 },
  "ticket-id-repeated-texts": {
    workflows: 7,
    texts: 12,
    says: [...columns("Ticket Description", "Ticket Type"), /228 rows: the same text/],
  },
  "timestamps-and-pii": { ...eight, says: [/112 of 112 texts[^\n]*time stamp/, /112 of 112 texts[^\n]*email address/] },
  "tsv-label-first-no-header": eight,
  "two-header-rows": { ...eight, says: [/1 row: the row describes the columns/, /1 row: the row is above the header/] },
  "utf8-bom-crlf-nbsp": eight,
  "voiceflow-vf": { ...eight, notInCatalog: [/\{\{/, /which day/i] },
  "xlsx-codebook-sheet": { ...eight, catalog: [/book_a_lane/] },
  "xlsx-formula-labels-cached": eight,
  "xlsx-formula-no-cache": {
    refused: "formulas without stored results have no value to read",
    says: [/112 cells of "Queue" hold a formula without a stored result/],
  },
  "xlsx-hidden-columns-rows": { ...eight, says: [...columns("Request", "queue"), /30 rows that a filter hides/] },
  "xlsx-merged-header-two-rows": { ...eight, says: columns("Text", "Kind") },
  "xlsx-rich-text-comments-dates": eight,
  "xlsx-two-tables-one-sheet": eight,
  "xml-export": { refused: "XML is not read", says: [/XML/, /CSV/] },
  "zendesk-api-tickets": { ...eight, says: [/Texts come from "description"/, /"custom_fields\.114"/] },
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
  "rows-120k", // describes a file that is too large to keep
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
  const files = readdirSync(join(folder, name)).filter((file) => file !== "expected.txt" && file !== "args.txt");
  if (input !== undefined) return join(folder, name, input);
  const [only] = files;
  const isOne = files.length === 1 && !argumentsOf(name).includes(wholeFolder);
  return isOne && only !== undefined ? join(folder, name, only) : join(folder, name);
}

const wholeFolder = "WHOLE";

/** Options of a case, or that it is its whole folder. */
function argumentsOf(name: string): readonly string[] {
  const file = join(folder, name, "args.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(/\s+/) : [];
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

/** A folder without the notes about its case. */
function withoutNotes(input: string, cwd: string): string {
  if (!existsSync(join(input, "expected.txt"))) return input;
  const copy = join(cwd, "source");
  cpSync(input, copy, { recursive: true, filter: (path) => !/(?:expected|args)\.txt$/.test(path) });
  return copy;
}

/** What a case gets wrong; empty when it is right. */
async function faultsOf(name: string, expected: Expected): Promise<readonly string[]> {
  return inTemporaryFolder(async (cwd) => {
    const options = argumentsOf(name).filter((word) => word !== wholeFolder);
    const input = withoutNotes(inputOf(name, expected), cwd);
    const { code, stdout } = await sluice(["init", input, "--into", "p", "--owner", "me", "--json", ...options], {
      cwd,
    });
    const made = JSON.parse(stdout) as Made;
    const leftOut = Object.entries(made.result?.left_out ?? {}).map(
      ([reason, count]) => `${counted(count, "row")}: ${leftOutReasons[reason as LeftOutReason]}`,
    );
    const said = [...textsOf(made), ...leftOut].join("\n");
    const faults = [
      ...(code === (expected.code ?? (expected.refused === undefined ? 0 : 2))
        ? []
        : [`exit ${code}: ${made.error?.message ?? ""}`]),
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
