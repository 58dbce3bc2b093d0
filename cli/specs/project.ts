import { flag, optional, preset } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { junitOption } from "../options.js";
import { initOptions, labelOptions, runOptions, statusOptions } from "../../stages/options/project.js";
import { choice, path, port } from "../../stages/options/kinds.js";
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

const { source, ...making } = initOptions;

export const initSpec = {
  name: ["init"],
  describe: "Create a project from your file: a catalog to edit, and labelled requests to measure it",
  positionals: { source },
  options: making,
  own: {
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

const { texts, ...labelling } = labelOptions;

export const labelSpec = {
  name: ["label"],
  describe:
    "Label requests on a page in your browser: the log of the project, until a claim is tested, or a file of texts",
  positionals: { texts },
  options: labelling,
  own: {
    draft: optional(
      path,
      "CSV file to write, for review: the log's likeliest texts of each workflow; give it back with --judge",
    ),
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
  options: runOptions,
  own: { dryRun: flag("show what would run, without running it"), ...junitOption, ...passphraseOptions },
  examples: [
    ["sluice run", "the project in this folder; a second run does nothing"],
    ["sluice run --release --producer ann --approver bo --approver cy", "also creates a bundle, signed by ann"],
  ],
} satisfies CommandSpec;

export const statusSpec = {
  name: ["status"],
  describe: "Show the state of a project and its release, and the next step",
  positionals: {},
  options: statusOptions,
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
