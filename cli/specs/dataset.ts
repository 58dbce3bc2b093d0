import { flag, optional, preset, repeated, required, listKind, objectKind } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import {
  choice,
  count,
  id,
  list,
  listOf,
  path,
  probability,
  probabilityIn,
  reference,
  seed as seedNumber,
  text,
} from "../../stages/options/kinds.js";
import { importOptions } from "../commands/dataset/import-options.js";
import { datasetFormats } from "../../stages/choices.js";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import { auditChecks, defaultNearDuplicateLimit } from "../../src/documents/choices.js";

export const datasetImportSpec = {
  name: ["dataset", "import"],
  describe: "Import labelled requests and their catalog into the history",
  positionals: { file: required(path, "file or folder to import") },
  options: {
    format: preset(
      choice(...datasetFormats),
      "auto",
      "format; auto detects exports and tables by content; table is one row for each request",
    ),
    catalog: optional(reference, "catalog of the labels"),
    ...importOptions,
  },
  examples: [
    ["sluice dataset import requests.jsonl --format jsonl --catalog catalog.yaml", "requests in Sluice's own format"],
    [
      "sluice dataset import tickets.csv --format table --text-column body --workflow-column intent --draft-catalog",
      "any table, with a catalog drafted from its labels",
    ],
  ],
} satisfies CommandSpec;

/** Shares of the folds. The split checks that they are positive and sum to 1. */
const shares = objectKind(
  "FIT,TUNE,CERTIFY,EVAL",
  "4 shares such as 0.35,0.15,0.3,0.2",
  (raw): FoldFractions | undefined => {
    const [fit, tune, certify, evaluation, ...more] = raw.split(",").map((part) => probabilityIn(part.trim()));
    if (fit === undefined || tune === undefined || certify === undefined || evaluation === undefined) return undefined;
    return more.length === 0 ? { fit, tune, certify, eval: evaluation } : undefined;
  },
);

export const datasetSplitSpec = {
  name: ["dataset", "split"],
  describe: "Split a dataset into folds with no common workflow or, for claims about one catalog, no common request",
  positionals: {},
  options: {
    dataset: optional(id, "dataset; by default the latest"),
    catalog: optional(reference, "catalog of the labels; by default the latest that has them"),
    seed: preset(seedNumber, "1", "seed of the random draw"),
    shares: preset(shares, "0.35,0.15,0.3,0.2", "share of the workflows in each fold"),
    by: preset(
      text,
      "workflow",
      "unit that stays within one fold: workflow, domain, service, group, a slice or request; role uses the published parts",
    ),
    generatedTexts: flag("by request: texts were generated or paraphrased; those that mean the same are one family"),
    keepFit: optional(id, "split whose FIT fold is reused, because models were fitted on it"),
    folds: optional(count, "for small data: number of parts that take turns as folds, at least 4"),
    repeats: preset(count, "1", "for small data: number of times the parts are drawn"),
    removeHeldOut: optional(probability, "share of the workflows to remove from the catalog"),
    remove: optional(list, "workflows, services or domains to remove from the catalog"),
  },
  examples: [
    [
      "sluice dataset split --by domain --remove-held-out 0.2",
      "folds with no common domain; removed workflows give near out-of-scope requests",
    ],
    ["sluice dataset split --by request", "all workflows in each fold, for claims about this catalog"],
  ],
} satisfies CommandSpec;

const checks = listOf("CHECK,...", `different checks out of ${auditChecks.join(", ")}`, {
  read: (raw) => auditChecks.find((known) => known === raw),
  accepted: (names) => new Set(names).size === names.length,
});

export const datasetAuditSpec = {
  name: ["dataset", "audit"],
  describe: "Check a dataset for leakage, duplicates, contradictions and personal data, and record the result",
  positionals: {},
  options: {
    dataset: optional(id, "dataset; by default the one of the split, or the latest"),
    catalog: optional(reference, "catalog; by default the one of the split, or the latest"),
    split: optional(id, "split; by default the latest of the dataset"),
    accept: optional(text, "reason for accepting failed checks; recorded with the actor's name"),
    acceptChecks: repeated(checks, "checks that --accept covers; by default every failed one"),
    maxNearDuplicates: preset(
      probability,
      String(defaultNearDuplicateLimit),
      "largest accepted share of near-duplicates",
    ),
    withTexts: flag("also print the texts of the examples"),
  },
  examples: [
    ["sluice dataset audit", "the latest dataset, and its split if there is one"],
    ["sluice dataset audit --accept ticket-4711 --actor ann", "accepts a known finding, on record"],
  ],
} satisfies CommandSpec;

export const datasetShowSpec = {
  name: ["dataset", "show"],
  describe: "Show the counts of a dataset, without request texts",
  positionals: {},
  options: {
    dataset: optional(id, "dataset; by default the latest"),
    catalog: optional(reference, "catalog, for the risk tiers; by default the latest that has the labels"),
    split: optional(id, "split, for the folds; by default the latest of the dataset"),
    all: flag("list every workflow"),
  },
  examples: [
    ["sluice dataset show", "the latest dataset"],
    ["sluice dataset show --dataset 3f9c01ab --all", "a specific one, with every workflow"],
  ],
} satisfies CommandSpec;

/** A request and its right label; a workflow id has no equals sign, an example may have one. */
const correction = listKind("ROW=LABEL", "ROW=LABEL", (raw): readonly [string, string] | undefined => {
  const at = raw.lastIndexOf("=");
  return at > 0 && at + 1 < raw.length ? [raw.slice(0, at), raw.slice(at + 1)] : undefined;
});

export const datasetRelabelSpec = {
  name: ["dataset", "relabel"],
  describe:
    "Correct wrong labels of a project: withdraw each row with a reason, add it with the right label, and move its example",
  positionals: {
    corrections: repeated(
      correction,
      "ROW=LABEL: id of the row, or the text of an example, and the right workflow; none: out of scope",
    ),
  },
  options: { reason: required(text, "why the old labels are wrong; approvers read it") },
  examples: [
    ["sluice dataset relabel line-15=shop.refund --reason asks-for-money", "the row asked for a refund"],
    ["sluice dataset relabel line-8=shop.refund line-9=none --reason second-reading", "two rows at once"],
  ],
} satisfies CommandSpec;
