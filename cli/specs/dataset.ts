import { flag } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import {
  auditOptions,
  describeOptions,
  importOptions,
  relabelOptions,
  splitOptions,
} from "../../stages/options/dataset.js";

const { file, ...importing } = importOptions;

export const datasetImportSpec = {
  name: ["dataset", "import"],
  describe: "Import labelled requests and their catalog into the history",
  positionals: { file },
  options: importing,
  examples: [
    ["sluice dataset import requests.jsonl --format jsonl --catalog catalog.yaml", "requests in Sluice's own format"],
    [
      "sluice dataset import tickets.csv --format table --text-column body --workflow-column intent --draft-catalog",
      "any table, with a catalog drafted from its labels",
    ],
  ],
} satisfies CommandSpec;

export const datasetSplitSpec = {
  name: ["dataset", "split"],
  describe: "Split a dataset into folds with no common workflow or, for claims about one catalog, no common request",
  positionals: {},
  options: splitOptions,
  examples: [
    [
      "sluice dataset split --by domain --remove-held-out 0.2",
      "folds with no common domain; removed workflows give near out-of-scope requests",
    ],
    ["sluice dataset split --by request", "all workflows in each fold, for claims about this catalog"],
  ],
} satisfies CommandSpec;

export const datasetAuditSpec = {
  name: ["dataset", "audit"],
  describe: "Check a dataset for leakage, duplicates, contradictions and personal data, and record the result",
  positionals: {},
  options: auditOptions,
  own: { withTexts: flag("also print the texts of the examples") },
  examples: [
    ["sluice dataset audit", "the latest dataset, and its split if there is one"],
    ["sluice dataset audit --accept ticket-4711 --actor ann", "accepts a known finding, on record"],
  ],
} satisfies CommandSpec;

export const datasetShowSpec = {
  name: ["dataset", "show"],
  describe: "Show the counts of a dataset, without request texts",
  positionals: {},
  options: describeOptions,
  own: { all: flag("list every workflow") },
  examples: [
    ["sluice dataset show", "the latest dataset"],
    ["sluice dataset show --dataset 3f9c01ab --all", "a specific one, with every workflow"],
  ],
} satisfies CommandSpec;

const { corrections, reason } = relabelOptions;

export const datasetRelabelSpec = {
  name: ["dataset", "relabel"],
  describe:
    "Correct wrong labels of a project: withdraw each row with a reason, add it with the right label, and move its example",
  positionals: { corrections },
  options: { reason },
  examples: [
    ["sluice dataset relabel line-15=shop.refund --reason asks-for-money", "the row asked for a refund"],
    ["sluice dataset relabel line-8=shop.refund line-9=none --reason second-reading", "two rows at once"],
  ],
} satisfies CommandSpec;
