import type { CommandShape } from "../command-shape.js";
import { flag, optional, preset, repeated, required } from "../options.js";
import { choice, folderReference, name, path, port, seed, text } from "../parsers.js";
import { riskTiers } from "../../src/domain/catalog.js";
import { projectFileName } from "../../workbench/project/project-file.js";
import { stepNames } from "../../workbench/project/step-names.js";
import { gateOptions } from "../gate-options.js";
import { passphraseOptions } from "../passphrase.js";

export const quickstartShape = {
  name: ["quickstart"],
  describe: "Run the whole job on the shipped data with demonstration keys, then serve the approved bundle",
  positionals: {},
  options: {
    port: preset(port, "8080", "port of the production server on 127.0.0.1"),
    check: flag("send one request for each decision to the server, stop it and end"),
    compare: flag("also fit, score and certify the lexical models, and compare the decisions of both"),
  },
  examples: [
    ["sluice quickstart", "everything, then a server on port 8080"],
    ["sluice quickstart --check --compare --json", "everything, beside the lexical models, as one JSON document"],
  ],
} satisfies CommandShape;

export const initShape = {
  name: ["init"],
  describe: "Make a project from a file of yours: a catalog to edit, and labelled requests that measure it",
  positionals: { source: optional(path, "file or folder with labelled requests or tool definitions; - reads stdin") },
  options: {
    into: preset(path, ".", "folder of the project"),
    owner: optional(text, "team that answers for the workflows; by default you"),
    producer: optional(name, "who signs releases as producer; by default you, once approvers are named"),
    approver: repeated(name, "a person who may approve releases; two or more, none of them the producer"),
    tier: preset(choice(...riskTiers), "medium", "risk tier of every workflow until you edit the catalog"),
    retriever: optional(folderReference, "model folder of yours; the shipped one by default"),
    verifier: optional(folderReference, "model folder of yours; the shipped one by default"),
    "text-column": optional(text, "tables: column of the request texts; found by name or content by default"),
    "label-column": optional(text, "tables: column of the labels; found by name or content by default"),
    "part-column": optional(text, "tables: column that says train, validation or test"),
    "out-of-scope-label": repeated(text, "label that means out of scope, besides the usual ones"),
    sheet: optional(text, "Excel: sheet to read; by default the one with the most rows"),
    language: preset(text, "en", "Dialogflow: language of the phrases"),
    seed: preset(seed, "1", "seed of the draw of examples"),
    yes: flag("accept every drafted value without being asked"),
  },
  examples: [
    ["sluice init tickets.csv --into my-router", "a spreadsheet, an export of Rasa, Dialogflow, LUIS, …"],
    ["sluice init tools.json --into my-router --owner platform", "the tools of OpenAI, Anthropic, MCP or OpenAPI"],
  ],
} satisfies CommandShape;

export const runShape = {
  name: ["run"],
  describe:
    "Do what a project is missing: import, split, audit, score, plan, calibrate, report; with --release, sign it",
  positionals: {},
  options: {
    file: preset(path, projectFileName, "project file"),
    until: optional(choice(...stepNames), "last step to run"),
    force: flag("run every step, also those that are up to date"),
    "dry-run": flag("show what would run, and run nothing"),
    release: flag("sign the bundle as its producer; once it is approved, export it"),
    producer: optional(name, "with --release: who signs as producer; by default you. Saved in the project file"),
    approver: repeated(name, "with --release: a person who may approve; two or more. Saved in the project file"),
    accept: optional(text, "with --release: why findings of the audit may stay; you answer for it"),
    ...gateOptions,
    ...passphraseOptions,
  },
  examples: [
    ["sluice run", "the project of this folder; a second run does nothing"],
    ["sluice run --release --producer ann --approver bo --approver cy", "and the bundle, signed by ann"],
  ],
} satisfies CommandShape;

export const statusShape = {
  name: ["status"],
  describe: "Say where a project and its release stand, and what comes next",
  positionals: {},
  options: { file: preset(path, projectFileName, "project file") },
  examples: [
    ["sluice status", "the project of this folder"],
    ["sluice status --project my-router --json", "another one, as data"],
  ],
} satisfies CommandShape;

export const doctorShape = {
  name: ["doctor"],
  describe: "Check this machine and open what the workspace holds; show every setting and where it comes from",
  positionals: {},
  options: {},
  examples: [
    ["sluice doctor", "one line for each check, with the repair"],
    ["sluice doctor --json", "the same as a document"],
  ],
} satisfies CommandShape;

/** Files of which there is a schema. */
export const schemaNames = ["catalog", "project", "policy", "requests", "retriever", "verifier", "grants"] as const;

export const schemaShape = {
  name: ["schema"],
  describe: "Print the JSON Schema of a file that people write, or list these files",
  positionals: { name: optional(choice(...schemaNames), "file whose schema is printed") },
  options: {},
  examples: [
    ["sluice schema", "the files that have a schema"],
    ["sluice schema catalog", "for an editor or another checker"],
  ],
} satisfies CommandShape;

const shells = ["bash", "zsh", "fish"] as const;

export const completionShape = {
  name: ["completion"],
  describe: "Print the completion script of a shell",
  positionals: { shell: required(choice(...shells), "bash, zsh or fish") },
  options: {},
  examples: [
    ["sluice completion bash", "the script says at its top where to put it"],
    ["sluice completion fish", "with what each word does"],
  ],
} satisfies CommandShape;
