import {
  argument,
  flag,
  objectKind,
  optional,
  preset,
  repeated,
  required,
  requiredArgument,
  type ValueKind,
} from "../../src/base/options.js";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import { auditChecks, defaultNearDuplicateLimit } from "../../src/documents/choices.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { datasetFormats } from "../choices.js";
import { choice, count, id, list, listOf, path, probability, probabilityIn, reference, seed, text } from "./kinds.js";

const cellValue: ValueKind<string> = { placeholder: "VALUE", type: "string", parse: (raw) => raw };

const column = (what: string) => optional(text, `tables: column of ${what}`);

/** `dataset import` */
export const importOptions = {
  file: required(path, "file or folder to import"),
  format: preset(
    choice(...datasetFormats),
    "auto",
    "format; auto detects exports and tables by content; table is one row for each request",
  ),
  catalog: optional(reference, "catalog of the labels"),
  textColumn: column("the request texts; by default text"),
  workflowColumn: column("the workflows; by default workflow_id"),
  idColumn: column("the row ids; by default rows are numbered"),
  groupColumn: column("groups of requests that belong together"),
  allowedColumn: column("the workflows that the caller may use"),
  missingColumn: column("the inputs missing from the request"),
  contextColumn: column("the context, a JSON object"),
  eventColumn: column("the event type"),
  sliceColumns: optional(list, "tables: columns that become slices"),
  roleColumn: column("the published roles train, validation and test; see dataset split --by role"),
  outOfScopeValue: repeated(cellValue, "workflow value that means out of scope; auto recognises the usual ones"),
  draftCatalog: flag("tables: draft a catalog from the labels, with examples from the texts"),
  owner: optional(text, "owner of workflows for which the source names none; production requires one"),
  grants: optional(
    path,
    "grant policy of the server; each request gets the workflows of one rule, so that claims are about its callers",
  ),
  language: optional(text, "auto: language of the phrases; by default English if the source has it"),
  maxBadRows: preset(count, "0", "number of invalid rows to accept; they are skipped and listed"),
  dropRepeated: flag("skip near-duplicates of earlier requests"),
  examplesPerWorkflow: preset(count, "10", "drafted catalogs: maximum number of examples per workflow"),
  maxRowsPerWorkflow: optional(count, "maximum rows per workflow, drawn at random"),
  maxOutOfScope: optional(count, "maximum out-of-scope rows, drawn at random"),
  seed: preset(seed, "0", "seed of the random draws"),
  idsFile: optional(path, "CSV that maps labels to workflow ids; read if it exists, otherwise written"),
} as const;
export const importDatasetOptions = {
  ...importOptions,
  file: optional(path, ""),
  /** Labelled requests in memory, in place of a file; validated like those of a file. */
  requests:
    argument<readonly (Omit<LabelledRequest, "workflow_id"> & { readonly workflow_id: string | null })[]>("list"),
} as const;

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

/** `dataset split`, `splitDataset` */
export const splitOptions = {
  dataset: optional(id, "dataset; by default the latest"),
  catalog: optional(reference, "catalog of the labels; by default the latest that has them"),
  seed: preset(seed, "1", "seed of the random draw"),
  shares: optional(shares, "share of the workflows in each fold; by default 0.35,0.15,0.3,0.2"),
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
} as const;

const checks = listOf("CHECK,...", `different checks out of ${auditChecks.join(", ")}`, {
  read: (raw) => auditChecks.find((known) => known === raw),
  accepted: (names) => new Set(names).size === names.length,
});

/** `dataset audit`, `auditDataset` */
export const auditOptions = {
  dataset: optional(id, "dataset; by default the one of the split, or the latest"),
  catalog: optional(reference, "catalog; by default the one of the split, or the latest"),
  split: optional(id, "split; by default the latest of the dataset"),
  accept: optional(text, "reason for accepting failed checks; recorded with the actor's name"),
  acceptChecks: optional(checks, "checks that --accept covers; by default every failed one"),
  maxNearDuplicates: preset(
    probability,
    String(defaultNearDuplicateLimit),
    "largest accepted share of near-duplicates",
  ),
} as const;

/** `dataset show` */
export const describeOptions = {
  dataset: optional(id, "dataset; by default the latest"),
  catalog: optional(reference, "catalog, for the risk tiers; by default the latest that has the labels"),
  split: optional(id, "split, for the folds; by default the latest of the dataset"),
} as const;

/** A request of a project: the id of its row, or the text of an example that is no row. */
export interface RightLabel {
  readonly id: string;
  /** The right workflow; null: the request is out of scope. */
  readonly label: string | null;
}

/** A workflow id has no equals sign, an example may have one. */
const correction = objectKind("ROW=LABEL", "ROW=LABEL", (raw): RightLabel | undefined => {
  const at = raw.lastIndexOf("=");
  const label = raw.slice(at + 1);
  return at > 0 && label !== "" ? { id: raw.slice(0, at), label: label === "none" ? null : label } : undefined;
});

/** `dataset relabel` */
export const relabelOptions = {
  corrections: repeated(
    correction,
    "ROW=LABEL: id of the row, or the text of an example, and the right workflow; none: out of scope",
  ),
  reason: required(text, "why the old labels are wrong; approvers read it"),
} as const;
export const relabelRequestsOptions = {
  ...relabelOptions,
  /** The project file. */
  file: requiredArgument<string>("string"),
} as const;
