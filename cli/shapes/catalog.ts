import type { CommandShape } from "../command-shape.js";
import { flag, optional, preset, required } from "../options.js";
import { choice, folderReference, path, reference, text } from "../parsers.js";
import { exportForms } from "../../workbench/catalog/export-catalog.js";

export const catalogCheckShape = {
  name: ["catalog", "check"],
  describe: "Check a catalog against its schema and rules",
  positionals: { file: required(path, "catalog file, YAML or JSON") },
  options: { production: flag("fail when the catalog lacks what production needs") },
  examples: [
    ["sluice catalog check catalog.yaml", "schema and rules"],
    ["sluice catalog check catalog.yaml --production", "owners and unambiguous events too"],
  ],
} satisfies CommandShape;

export const catalogShowShape = {
  name: ["catalog", "show"],
  describe: "List the workflows of a catalog, or show one",
  positionals: { file: required(path, "catalog file, YAML or JSON") },
  options: { workflow: optional(text, "id of the workflow to show in full") },
  examples: [
    ["sluice catalog show catalog.yaml", "one line for each workflow"],
    ["sluice catalog show catalog.yaml --workflow orders.cancel", "one workflow in full"],
  ],
} satisfies CommandShape;

export const catalogLintShape = {
  name: ["catalog", "lint"],
  describe: "Find what makes a catalog route worse: near-twins, examples in the wrong place, missing words",
  positionals: { catalog: optional(reference, "catalog file or id; the latest of the history by default") },
  options: {
    "fail-on": preset(choice("error", "warning", "never"), "error", "least severity that ends with exit code 3"),
    "rules-only": flag("check the rules that need no model; examples are not ranked"),
    retriever: optional(folderReference, "retriever that ranks the examples; the shipped one by default"),
    all: flag("show every finding"),
  },
  examples: [
    ["sluice catalog lint catalog.yaml", "what to correct first; examples are hidden one part at a time and ranked"],
    ["sluice catalog lint catalog.yaml --rules-only --fail-on warning", "a quick check for CI"],
  ],
} satisfies CommandShape;

export const catalogDiffShape = {
  name: ["catalog", "diff"],
  describe: "Say what changed between two catalogs, workflow by workflow and field by field",
  positionals: {
    before: required(reference, "catalog file, or the id of a catalog in the history"),
    after: required(reference, "the one that it became"),
  },
  options: {},
  examples: [
    ["sluice catalog diff catalog.yaml catalog.yaml.proposed", "what a second init proposes"],
    ["sluice catalog diff 6f644a0b catalog.yaml --json", "a released catalog and the edited file, as data"],
  ],
} satisfies CommandShape;

export const catalogExportShape = {
  name: ["catalog", "export"],
  describe: "Write a catalog out, to edit it or to use its examples elsewhere",
  positionals: { catalog: optional(reference, "catalog; the latest of the history by default") },
  options: {
    as: preset(choice(...exportForms), "yaml", "yaml and json hold all of it, csv the examples"),
    out: optional(path, "file to write; it must not exist. Without it the catalog is the output"),
  },
  examples: [
    ["sluice catalog export --out catalog.yaml", "the catalog that an import made, with a comment for each field"],
    ["sluice catalog export catalog.yaml --as csv --out examples.csv", "text and workflow_id of every example"],
  ],
} satisfies CommandShape;
