import { flag, optional, preset, repeated } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { gateOptions, noteOption } from "../options.js";
import { choice, encoding, folderReference, name, path, port, seed, text } from "../../stages/options/kinds.js";
import { projectFileName, riskTiers, stepNames, shippedModels } from "../../src/documents/choices.js";
import { schemaNames } from "../../stages/choices.js";
import { passphraseOptions } from "../passphrase.js";

export const quickstartSpec = {
  name: ["quickstart"],
  describe: "Run every step on the shipped data with demonstration keys, then serve the approved bundle",
  positionals: {},
  options: {
    port: preset(port, "8080", "port of the production server on 127.0.0.1"),
    check: flag("send one request for each decision, then stop the server"),
  },
  examples: [
    ["sluice quickstart", "every step, then a server on port 8080"],
    ["sluice quickstart --check --json", "without a server at the end, as JSON"],
  ],
} satisfies CommandSpec;

export const initSpec = {
  name: ["init"],
  describe: "Create a project from your file: a catalog to edit, and labelled requests to measure it",
  positionals: { source: optional(path, "file or folder with labelled requests or tool definitions; - reads stdin") },
  options: {
    log: optional(path, "unlabelled requests of the service, for the command label"),
    into: preset(path, ".", "folder of the project"),
    owner: optional(text, "owner of the workflows; by default that of the project, or you"),
    producer: optional(name, "producer who signs releases; by default you, once approvers are named"),
    approver: repeated(name, "approver of releases, other than the producer; repeat for two or more"),
    tier: optional(
      choice(...riskTiers),
      "risk tier until you edit the catalog; by default that of the project, or medium",
    ),
    models: preset(
      choice(...shippedModels),
      "default",
      "shipped models; fast: less accurate, at a fraction of the cost; multilingual: 15 languages",
    ),
    retriever: optional(folderReference, "your own model folder; by default the shipped model"),
    verifier: optional(folderReference, "your own model folder; by default the shipped model"),
    textColumn: repeated(
      text,
      "tables: column of the request texts, by default found by name or content; repeat to join several by a line break",
    ),
    labelColumn: optional(text, "tables: column of the labels; by default found by name or content"),
    partColumn: optional(text, "tables: column with train, validation or test"),
    conversationColumn: optional(
      text,
      "tables: column of the conversation, by default found by name; none: every text stands alone",
    ),
    turnColumn: optional(
      text,
      "tables: column that orders a conversation; by default found by name, or the file's order",
    ),
    outOfScopeLabel: repeated(text, "label that means out of scope, in addition to the usual ones"),
    severalLabels: optional(choice("leave-out", "first"), "rows with several labels; by default left out"),
    lookAlikes: optional(choice("merge", "keep"), "labels that differ only in case or separators; by default merged"),
    clean: flag("remove quoted emails, signatures and HTML markup from the texts"),
    sheet: optional(text, "Excel: sheet to read; by default the visible one with known columns and most rows"),
    language: optional(text, "language of the phrases; by default English if there is any"),
    encoding: optional(encoding, "encoding of text files, such as shift_jis; by default detected"),
    seed: optional(
      seed,
      "seed of the random choice of examples, by default 1; with --log, of its halves and draws, by default random",
    ),
    add: flag("add the requests of this source to the project; its catalog and its other requests stay"),
    yes: flag("accept every drafted value without asking"),
    open: flag("review and change the draft in the browser, and write the files from there"),
    port: preset(port, "8090", "with --open: port to listen on; 0 selects a free one"),
  },
  examples: [
    ["sluice init tickets.csv --into my-router", "a spreadsheet, or an export of Rasa, Dialogflow, LUIS, …"],
    [
      "sluice init tools.json --into my-router --owner platform",
      "tool definitions of OpenAI, Anthropic, MCP or OpenAPI",
    ],
  ],
} satisfies CommandSpec;

export const labelSpec = {
  name: ["label"],
  describe:
    "Label requests on a page of this machine: the log of the project, until a claim is tested, or a file of texts",
  positionals: {
    texts: optional(
      path,
      "unlabelled requests, such as declined ones, to label as examples; by default the log, whose routes are tested",
    ),
  },
  options: {
    file: preset(path, projectFileName, "project file"),
    draft: optional(
      path,
      "CSV file to write, for review: the log's likeliest texts of each workflow; give it back with --judge",
    ),
    judge: optional(path, "predictions of another system (id, predicted, confidence), as examples only; never tested"),
    judgeCommand: optional(text, "shell command that predicts instead: texts on stdin, predictions on stdout"),
    port: preset(port, "8090", "port to listen on; 0 selects a free one"),
  },
  examples: [
    ["sluice label --actor bo", "the project in this folder, continued where it stopped, by another person"],
    ["sluice label declined.jsonl", "examples from the requests that your application stored when they were declined"],
  ],
} satisfies CommandSpec;

export const runSpec = {
  name: ["run"],
  describe:
    "Run the outdated steps of a project: import, split, audit, score, plan, calibrate, report; with --release, sign",
  positionals: {},
  options: {
    file: preset(path, projectFileName, "project file"),
    until: optional(choice(...stepNames), "last step to run"),
    force: flag("run every step, even if it is up to date"),
    dryRun: flag("show what would run, without running it"),
    ...noteOption,
    release: flag("sign the bundle as its producer and, once approved, export it"),
    producer: optional(name, "with --release: producer who signs; by default you. Saved in the project file"),
    approver: repeated(name, "with --release: approver; repeat for two or more. Saved in the project file"),
    accept: optional(text, "with --release: your reason for accepting the findings of the audit"),
    despiteGates: flag("with --release: sign although a gate is not met; approvers must override it too"),
    ...gateOptions,
    ...passphraseOptions,
  },
  examples: [
    ["sluice run", "the project in this folder; a second run does nothing"],
    ["sluice run --release --producer ann --approver bo --approver cy", "also creates a bundle, signed by ann"],
  ],
} satisfies CommandSpec;

export const statusSpec = {
  name: ["status"],
  describe: "Show the state of a project and its release, and the next step",
  positionals: {},
  options: { file: preset(path, projectFileName, "project file") },
  examples: [
    ["sluice status", "the project in this folder"],
    ["sluice status --project my-router --json", "another project, as JSON"],
  ],
} satisfies CommandSpec;

export const doctorSpec = {
  name: ["doctor"],
  describe: "Check this machine and the workspace, and show every setting with its source",
  positionals: {},
  options: {},
  examples: [
    ["sluice doctor", "one line per check, with the fix"],
    ["sluice doctor --json", "the same as JSON"],
  ],
} satisfies CommandSpec;

export const schemaSpec = {
  name: ["schema"],
  describe: "Print the JSON Schema of a configuration file, or list them",
  positionals: { name: optional(choice(...schemaNames), "kind of file") },
  options: {},
  examples: [
    ["sluice schema", "the kinds of files"],
    ["sluice schema catalog", "for an editor or a validator"],
  ],
} satisfies CommandSpec;
