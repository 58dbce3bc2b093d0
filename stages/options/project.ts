import { argument, flag, optional, preset, repeated } from "../../src/base/options.js";
import { projectFileName, riskTiers, shippedModels, stepNames } from "../../src/documents/choices.js";
import type { StepReport } from "../project/run-steps.js";
import type { SignerSource } from "../../release/signing/sign-statement.js";
import { gateOptions, noteOptions } from "./eval.js";
import { choice, encoding, folderReference, name, path, seed, text } from "./kinds.js";

/** `init` */
export const initOptions = {
  source: optional(path, "file or folder with labelled requests or tool definitions; - reads stdin"),
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
} as const;

/** `createProject`, `addRequests`. Without a source, the small shipped example. */
export const createProjectOptions = {
  ...initOptions,
  /** Reads what the source - stands for. */
  standardInput: argument<() => Promise<Buffer>>("function"),
} as const;

/** `status`, `projectStatus` */
export const statusOptions = { file: preset(path, projectFileName, "project file") } as const;

/** `run` */
export const runOptions = {
  ...statusOptions,
  until: optional(choice(...stepNames), "last step to run"),
  force: flag("run every step, even if it is up to date"),
  ...noteOptions,
  release: flag("sign the bundle as its producer and, once approved, export it"),
  producer: optional(name, "with --release: producer who signs; by default you. Saved in the project file"),
  approver: repeated(name, "with --release: approver; repeat for two or more. Saved in the project file"),
  accept: optional(text, "with --release: your reason for accepting the findings of the audit"),
  despiteGates: flag("with --release: sign although a gate is not met; approvers must override it too"),
  ...gateOptions,
} as const;

/** `runProject` */
export const runProjectOptions = {
  ...runOptions,
  /**
   * Key of the producer, for a release. A function is called only when something is signed; `of` is called as soon as
   * the producer is known.
   */
  signer: argument<SignerSource | { readonly of: (producer: string) => Promise<SignerSource> }>("object|function"),
  onStep: argument<(report: StepReport) => void>("function"),
} as const;

/** `label` */
export const labelOptions = {
  texts: optional(
    path,
    "unlabelled requests, such as declined ones, to label as examples; by default the log, whose routes are tested",
  ),
  ...statusOptions,
  judge: optional(path, "table of labels by another system (id, predicted), as examples only; never tested"),
  judgeCommand: optional(text, "shell command that predicts instead: texts on stdin, predictions on stdout"),
} as const;
