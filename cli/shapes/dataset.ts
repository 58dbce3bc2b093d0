import type { CommandShape } from "../command-shape.js";
import { flag, optional, preset, repeated, required } from "../options.js";
import {
  choice,
  count,
  id,
  kind,
  list,
  listOf,
  path,
  probability,
  probabilityIn,
  reference,
  seed as seedNumber,
  text,
} from "../parsers.js";
import { importOptions } from "../commands/dataset/import-options.js";
import { datasetFormats } from "../../workbench/choices.js";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import { auditChecks, defaultNearDuplicateLimit } from "../../src/domain/choices.js";

export const datasetImportShape = {
  name: ["dataset", "import"],
  describe: "Import labelled requests, and their catalog, into the history",
  positionals: { file: required(path, "file or folder to import") },
  options: {
    format: preset(
      choice(...datasetFormats),
      "auto",
      "auto recognises exports and tables by content; jsonl, csv and parquet take the column options",
    ),
    catalog: optional(reference, "catalog of the labels; published sets bring one of their own"),
    ...importOptions,
  },
  examples: [
    ["sluice dataset import requests.jsonl --format jsonl --catalog catalog.yaml", "requests in the format of Sluice"],
    [
      "sluice dataset import tickets.csv --format csv --text-column body --workflow-column intent --draft-catalog",
      "a table of any shape, with a catalog made from its labels",
    ],
  ],
} satisfies CommandShape;

/** Shares of the folds; whether they are positive with sum 1 is checked by the split. */
const shares = kind("FIT,TUNE,CERTIFY,EVAL", "4 shares such as 0.35,0.15,0.3,0.2", (raw): FoldFractions | undefined => {
  const [fit, tune, certify, evaluation, ...more] = raw.split(",").map((part) => probabilityIn(part.trim()));
  if (fit === undefined || tune === undefined || certify === undefined || evaluation === undefined) return undefined;
  return more.length === 0 ? { fit, tune, certify, eval: evaluation } : undefined;
});

export const datasetSplitShape = {
  name: ["dataset", "split"],
  describe: "Split a data set into folds that share no workflow, or, for claims about this catalog, no request",
  positionals: {},
  options: {
    dataset: optional(id, "data set; the latest when absent"),
    catalog: optional(reference, "catalog of its labels; the latest that has them when absent"),
    seed: preset(seedNumber, "1", "seed of the draw"),
    shares: preset(shares, "0.35,0.15,0.3,0.2", "share of the workflows that each fold gets"),
    by: preset(
      text,
      "workflow",
      "what no two folds share: workflow, domain, service, group, a slice, request; or role, as published",
    ),
    "keep-fit": optional(id, "split whose FIT fold stays FIT, because the models were fitted on it"),
    folds: optional(count, "small data: number of parts that take turns as folds, at least 4"),
    repeats: preset(count, "1", "small data: how often the parts are drawn anew"),
    "remove-held-out": optional(probability, "share of the workflows to take out of the catalog"),
    remove: optional(list, "workflows, services or domains to take out of the catalog"),
  },
  examples: [
    [
      "sluice dataset split --by domain --remove-held-out 0.2",
      "folds without a common domain; near out-of-scope requests",
    ],
    ["sluice dataset split --by request", "folds with the same workflows, for claims about this catalog"],
  ],
} satisfies CommandShape;

/** Names of checks. */
const checks = listOf("CHECK,...", `different checks out of ${auditChecks.join(", ")}`, {
  read: (raw) => auditChecks.find((known) => known === raw),
  accepted: (names) => new Set(names).size === names.length,
});

export const datasetAuditShape = {
  name: ["dataset", "audit"],
  describe: "Look for leakage, duplicates, contradictions and personal data, and keep the verdict",
  positionals: {},
  options: {
    dataset: optional(id, "data set; that of the split, or the latest, when absent"),
    catalog: optional(reference, "catalog; that of the split, or the latest, when absent"),
    split: optional(id, "split; the latest of the data set when absent"),
    accept: optional(text, "why failed checks are known and accepted; kept with the name of the actor"),
    "accept-checks": repeated(checks, "checks that the reason is for; every failed one when absent"),
    "max-near-duplicates": preset(
      probability,
      String(defaultNearDuplicateLimit),
      "largest share of near-duplicates that passes",
    ),
    "with-texts": flag("print the texts of the examples too"),
  },
  examples: [
    ["sluice dataset audit", "the latest data set, with its split when there is one"],
    ["sluice dataset audit --accept ticket-4711 --actor ann", "a known finding is accepted, on record"],
  ],
} satisfies CommandShape;

export const datasetShowShape = {
  name: ["dataset", "show"],
  describe: "Count what a data set holds; never prints request texts",
  positionals: {},
  options: {
    dataset: optional(id, "data set; the latest when absent"),
    catalog: optional(reference, "catalog, for the risk tiers; the latest that has the labels when absent"),
    split: optional(id, "split, for the folds; the latest of the data set when absent"),
    all: flag("list every workflow"),
  },
  examples: [
    ["sluice dataset show", "the latest data set"],
    ["sluice dataset show --dataset 3f9c01ab --all", "another one, with every workflow"],
  ],
} satisfies CommandShape;
