import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { shared, testWithShared } from "../support/shared.js";
import { sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

/**
 * Files as people bring them, from a folder outside of the project. Each has a page `expected.txt`; what a program can
 * check of it is here.
 */
const test = suite("cli/field-cases");

interface Expected {
  /** Input below the case's folder; default: its only file or folder. */
  readonly input?: string;
  readonly code?: number;
  readonly workflows?: number | readonly number[];
  /** Labelled texts that are used. */
  readonly texts?: number | readonly number[];
  readonly outOfScope?: number;
  /** What the output says. */
  readonly says?: readonly RegExp[];
  readonly never?: readonly RegExp[];
  /** What catalog.yaml holds, and what it does not. */
  readonly catalog?: readonly RegExp[];
  readonly notInCatalog?: readonly RegExp[];
}

const six = { workflows: 6, texts: 72 } as const;
const tools = { workflows: 6, texts: 0 } as const;
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
  "anthropic-mixed": { ...tools, says: [/bash|web_search|text_editor|computer|code_execution/] },
  "atis-multilabel": { says: [/several labels/], never: [/pay_fee_pay_fee|pay_fee_atis/] },
  "bedrock-toolspec": tools,
  "bitext-csv": { ...six, says: columns("instruction", "intent") },
  "bot-lu": withNone,
  "botium-folder": { ...six, says: [/hello\.convo\.txt/] },
  "botpress-intents": six,
  "chat-finetune-jsonl": six,
  "chatito-dsl": six,
  "chinese-labels": { workflows: 5, says: [/script|Han|Chinese/] },
  "clu-multilingual": withNone,
  "conflict-by-case": { says: columns("text", "intent") },
  "csv-broken-quotes": { says: columns("text", "intent") },
  "csv-comma-in-text": { says: columns("text", "intent") },
  "customer-agent-csv": { ...six, says: columns("customer_message", "topic") },
  "deeppavlov-catcher": six,
  "dialogflow-two-languages": { ...six, says: [/de \(\d+\)/] },
  "dup-headers": { ...six, says: [/Texts come from "text", labels from "intent"/] },
  "email-threads": { says: [/quoted|signature/, /100 %/, /--clean/] },
  "emoji-texts": { says: columns("text", "intent"), catalog: [/👍|🙏/] },
  "excel-sep-line": { ...six, says: columns("Anfrage", "Abteilung") },
  "fasttext-labels": six,
  "fasttext-multilabel": { texts: [62, 72], workflows: 6, says: [/several labels/] },
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
  "hf-dataset-folder": { ...six, says: [/README\.md|test/] },
  "hf-rows-api": { ...six, catalog: [/reserve_tool/] },
  "hier-separators": { ...six, says: [/also written/] },
  "html-texts": { ...six, says: [/HTML/, /--clean/] },
  imbalanced: { says: columns("text", "intent") },
  "intents-json-tags": { texts: [72, 74, 75, 76], workflows: [6, 7] },
  "json-data-key": six,
  "json-list-of-pairs": { code: 2, says: [/\{"text"/] },
  "label-only-in-test": { says: [/without an example[^\n]*pay_fee/] },
  "label-variants": { ...six, says: [/also written/] },
  "levels-columns": { says: [/"Level 2"[^\n]*--label-column/] },
  "lex-v1-export": six,
  "lex-v2-export": six,
  "luis-patterns": { ...withNone, says: [/pattern/] },
  "massive-jsonl": { ...six, says: columns("utt", "intent"), notInCatalog: [/\[\w+ : /] },
  "mcp-client-config": { code: 2, says: [/servers/, /tools\/list/] },
  "mcp-destructive-hint": { workflows: 6, catalog: [/side_effect: destructive/], says: [/destructive/] },
  "mcp-no-description": { workflows: 3 },
  "mcp-server-json": { code: 2, says: [/server/, /tools\/list/] },
  "mcp-tools-list": tools,
  "multilabel-pipe": { workflows: 6, says: [/several labels/] },
  "multiline-cells": { ...six },
  "na-labels": { workflows: 6, texts: 72, outOfScope: 2, says: [/10 rows/] },
  "nlpjs-none": withNone,
  "numeric-labels": { ...six, says: [/number/, /workflow-ids\.csv/] },
  "openai-functions-legacy": tools,
  "openai-responses-pure": tools,
  "openai-responses-tools": { ...tools, says: [/web_search|file_search|code_interpreter|computer/] },
  "openapi-no-operationid": { says: [/OpenAPI/] },
  "openapi-swagger2": { says: [/OpenAPI/] },
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
  "rasa-entities-json": { workflows: [6, 7], texts: [72, 75], notInCatalog: entityMarks },
  "rasa-metadata-multi": { workflows: [6, 7], texts: [72, 75], notInCatalog: entityMarks },
  "rasa-no-version": { workflows: [6, 7], texts: [72, 75], notInCatalog: entityMarks },
  "rasa-oos-subintents": { workflows: 6, texts: 72, outOfScope: 12 },
  "rasa1-json": { ...six, notInCatalog: entityMarks },
  "rasa1-markdown": { ...six, notInCatalog: entityMarks },
  "raw-and-clean-text": { ...six, says: columns("text", "label") },
  "role-log": six,
  "role-log-labelled-both": { says: [/"role"[^\n]*assistant/] },
  "semantic-router-yaml": six,
  "single-intent": { workflows: 1 },
  "single-intent-60": { workflows: 1 },
  "single-intent-plus-none": { workflows: 1 },
  "snips-json": six,
  "snips-yaml": six,
  "subject-body-queue": { ...six, says: columns("body", "queue") },
  "text-equals-label": { says: columns("text", "intent") },
  "too-long-texts": { says: columns("text", "queue") },
  "user-bot-csv": { ...six, says: columns("user", "intent") },
  "utf16-tab": six,
  "uuid-and-url": { ...six, says: columns("utterance", "intent") },
  "vllm-sr-config": tools,
  "watson-intents-csv": { ...six, says: [/no header row/] },
  "watson-skill": { ...withNone, says: [/dialog/] },
  "wide-columns": six,
  "wit-utterances": six,
  "xlsx-hidden-sheet": { ...six, says: [/"Tickets" was read/, /hidden[^\n]*old/] },
  "xlsx-merged-labels": six,
  "xlsx-title-rows": six,
};

/** Cases that no `init` of a file shows: they run or release a project, or describe a model. */
const elsewhere = new Set([
  "approve-key-before-gate",
  "auto-target-cliff",
  "bundle-extra-file",
  "concurrent-runs",
  "external-write-notice",
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
}

const folder = shared("field", "cases");

function inputOf(name: string, { input }: Expected): string {
  const files = readdirSync(join(folder, name)).filter((file) => file !== "expected.txt");
  if (input !== undefined) return join(folder, name, input);
  const [only] = files;
  return files.length === 1 && only !== undefined ? join(folder, name, only) : join(folder, name);
}

const oneOf = (found: number, wanted: number | readonly number[] | undefined): boolean =>
  wanted === undefined || (typeof wanted === "number" ? found === wanted : wanted.includes(found));

/** What a case gets wrong; empty when it is right. */
async function faultsOf(name: string, expected: Expected): Promise<readonly string[]> {
  return inTemporaryFolder(async (cwd) => {
    const input = inputOf(name, expected);
    const { code, stdout, stderr } = await sluice(["init", input, "--into", "p", "--owner", "me"], { cwd });
    const said = `${stdout}${stderr}`;
    const [firstError = ""] = stderr.split("\n").filter((line) => line.trim() !== "");
    const faults = [
      ...(code === (expected.code ?? 0) ? [] : [`exit ${code}: ${firstError}`]),
      ...missing(said, expected.says).map((text) => `does not say ${text}`),
      ...found(said, expected.never).map((text) => `says ${text}`),
    ];
    return code === 0 ? [...faults, ...(await faultsOfProject(cwd, input, expected))] : faults;
  });
}

const missing = (text: string, wanted: readonly RegExp[] = []): readonly string[] =>
  wanted.filter((one) => !one.test(text)).map(({ source }) => source);
const found = (text: string, refused: readonly RegExp[] = []): readonly string[] =>
  refused.filter((one) => one.test(text)).map(({ source }) => source);

async function faultsOfProject(cwd: string, input: string, expected: Expected): Promise<readonly string[]> {
  const made = await succeed<InitResult>(cwd, "init", input, "--into", "q", "--owner", "me");
  const catalog = await readFile(join(cwd, "p", "catalog.yaml"), "utf8");
  const leftOut = Object.values(made.left_out).reduce((sum, count) => sum + count, 0);
  const counts = [
    ["workflows", made.workflows.length, expected.workflows],
    ["texts", made.rows - leftOut - made.out_of_scope, expected.texts],
    ["out of scope", made.out_of_scope, expected.outOfScope],
  ] as const;
  return [
    ...counts.flatMap(([what, count, wanted]) =>
      oneOf(count, wanted) ? [] : [`${what}: ${count}, not ${String(wanted)}`],
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

test.run();
