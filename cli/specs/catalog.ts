import { flag, optional, preset, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { choice, path, reference, text } from "../../stages/options/kinds.js";
import { exportCatalogOptions } from "../../stages/options/catalog.js";

export const catalogCheckSpec = {
  name: ["catalog", "check"],
  describe: "Check a catalog against its schema and rules",
  positionals: { file: preset(path, "catalog.yaml", "catalog file, YAML or JSON") },
  options: { production: flag("fail if the catalog does not meet the production requirements") },
  examples: [
    ["sluice catalog check catalog.yaml", "schema and rules"],
    ["sluice catalog check catalog.yaml --production", "also checks owners and events"],
  ],
} satisfies CommandSpec;

export const catalogShowSpec = {
  name: ["catalog", "show"],
  describe: "List the workflows of a catalog, or show one",
  positionals: { file: preset(path, "catalog.yaml", "catalog file, YAML or JSON") },
  options: { workflow: optional(text, "id of the workflow to show in full") },
  examples: [
    ["sluice catalog show catalog.yaml", "one line per workflow"],
    ["sluice catalog show catalog.yaml --workflow orders.cancel", "one workflow in full"],
  ],
} satisfies CommandSpec;

export const catalogLintSpec = {
  name: ["catalog", "lint"],
  describe: "Find faults that cost accuracy: similar workflows, misplaced examples, missing words",
  positionals: { catalog: optional(reference, "catalog file or id; by default the latest in the history") },
  options: {
    failOn: preset(choice("error", "warning", "never"), "error", "lowest severity that ends with exit code 3"),
    rulesOnly: flag("check only the rules that need no model; do not rank examples"),
    all: flag("show every finding"),
  },
  examples: [
    ["sluice catalog lint catalog.yaml", "what to correct first; ranks held-out examples"],
    ["sluice catalog lint catalog.yaml --rules-only --fail-on warning", "a quick check for CI"],
  ],
} satisfies CommandSpec;

export const catalogDiffSpec = {
  name: ["catalog", "diff"],
  describe: "Show the changes between two catalogs, by workflow and field",
  positionals: {
    before: required(reference, "catalog file or id: the old version"),
    after: required(reference, "catalog file or id: the new version"),
  },
  options: {},
  examples: [
    ["sluice catalog diff catalog.yaml catalog.yaml.proposed", "the changes that a second init proposes"],
    ["sluice catalog diff 6f644a0b catalog.yaml --json", "a released catalog and an edited file, as JSON"],
  ],
} satisfies CommandSpec;

const { catalog, ...exporting } = exportCatalogOptions;

export const catalogExportSpec = {
  name: ["catalog", "export"],
  describe: "Export a catalog for editing, or its examples for use elsewhere",
  positionals: { catalog },
  options: exporting,
  examples: [
    ["sluice catalog export --out catalog.yaml", "an imported catalog, with a comment for each field"],
    ["sluice catalog export catalog.yaml --as csv --out examples.csv", "text and workflow_id of every example"],
  ],
} satisfies CommandSpec;
