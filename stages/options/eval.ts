import type { Text } from "../../src/base/error.js";
import { argument, flag, kind, listKind, optional, preset, repeated, required } from "../../src/base/options.js";
import { attributionBuckets, folds, namedGates, requestBuckets, riskTiers } from "../../src/documents/choices.js";
import { reasonCodes } from "../../src/documents/decision.js";
import type { PredictionFormat } from "../../eval/predictions/mappings.js";
import { defaultWorkers, errorOrders, exportedRows } from "../choices.js";
import type { WorkedShard } from "../score/queue/work-on-queue.js";
import { choice, count, duration, folderReference, id, list, path, probability, shardPart, text } from "./kinds.js";

export const noteOptions = {
  note: optional(text, "what the run is called in lists and comparisons: one line of at most 80 characters"),
} as const;

export const gateOptions = {
  gate: repeated(
    text,
    `requirement for the run, e.g. selective_risk.upper<=0.05, coverage>=0.4, ${Object.keys(namedGates).join(", ")}; may be repeated`,
  ),
  baseline: optional(id, "baseline run, whose value of the metric is A in gates such as coverage>=A-0.02"),
} as const;

const workers = preset(count, String(defaultWorkers), "inference threads");

/** What is scored, and with what. */
const scoredBy = {
  split: optional(id, "split; by default the latest"),
  retriever: optional(folderReference, "retriever: id or model folder; by default the latest"),
  verifier: optional(folderReference, "verifier: id or model folder; by default the latest"),
  policy: optional(path, "routing policy, YAML or JSON; by default the built-in policy"),
  workers,
} as const;

const maxErrors = preset(probability, "0.01", "largest share of requests that may fail");

const queueKey = (describe: string) => ({ queueKey: optional(path, describe) });

const queueOptions = {
  queue: optional(text, "Redis that hands shards to workers: redis://HOST:PORT, or rediss:// for TLS"),
  queueCredentials: optional(path, "file with USER:PASSWORD of the queue, or the password alone"),
  queueCa: optional(path, "CA certificates (PEM) of the server, for rediss://"),
  queuePrefix: preset(text, "sluice", "beginning of every key in Redis"),
  inputs: optional(path, "folder or https:// address that all workers can read: datasets, catalogs, models by digest"),
  inputsCredentials: optional(path, "file with the token of an https:// address"),
} as const;

const newQueueKey = queueKey(
  "file of the key that authenticates shards; by default queue.key in the workspace; created if missing",
);
const givenQueueKey = queueKey("file of the key that authenticates shards; by default queue.key in the workspace");

/** `eval run` */
export const runOptions = {
  ...scoredBy,
  maxErrors,
  ...newQueueKey,
  ...queueOptions,
  shipTexts: flag("send the inputs, request texts included, through Redis to workers that cannot read --inputs"),
  ...noteOptions,
  shards: optional(count, "with --queue: number of shards; by default one for every 200 requests"),
  jobTimeout: preset(duration, "30m", "with --queue: longest time of one attempt at a shard"),
  ...gateOptions,
} as const;
export const runEvaluationOptions = {
  ...runOptions,
  /** Receives messages for the user, for example that no worker is connected. */
  onNote: argument<(text: Text) => void>("function"),
} as const;

const shard = "score one of several parts and write it as a file, for sluice eval merge";
const shardFolder = optional(path, "folder of the shard file; by default shards in the workspace");

/** `eval run --shard` */
export const shardOptions = { shard: optional(shardPart, shard), shardFolder } as const;
export const evaluateShardOptions = {
  ...scoredBy,
  ...newQueueKey,
  shard: required(shardPart, shard),
  shardFolder,
} as const;

/** `eval worker` */
export const workerOptions = {
  ...givenQueueKey,
  ...queueOptions,
  concurrency: preset(count, "1", "shards at once"),
  workers,
} as const;
export const workForQueueOptions = {
  ...workerOptions,
  /** Project file with the settings of the queue, without `queue`. */
  project: argument<string>("string"),
  /** Called once the queue is known. */
  onStart: argument<() => void>("function"),
  /** Called after each shard. */
  onShard: argument<(shard: WorkedShard) => void>("function"),
} as const;

/** `eval merge`, `mergeEvaluation` */
export const mergeOptions = {
  files: repeated(path, "shard files, or folders of them; by default shards in the workspace"),
  retriever: optional(folderReference, "retriever that the history lacks: model folder"),
  verifier: optional(folderReference, "verifier that the history lacks: model folder"),
  policy: optional(path, "routing policy that the history lacks, YAML or JSON"),
  maxErrors,
  ...givenQueueKey,
  ...noteOptions,
  ...gateOptions,
} as const;

/** `--fold`: one fold, or all of them together. */
export const foldOption = (describe: string) => preset(choice(...folds, "all"), "eval", describe);

export const decidedRunOptions = {
  run: optional(id, "run; by default the latest"),
  calibration: optional(id, "calibration that decides; by default the latest that applies to the run"),
  minConfidence: optional(probability, "one confidence threshold for every tier, instead of a calibration"),
  fold: foldOption("fold to read, or all; an empty eval is replaced by certify"),
} as const;

/** Word for "no right workflow". */
export const noWorkflow = "none";

const parted = (placeholder: string, separator: string) =>
  listKind(placeholder, placeholder, (raw): readonly [string, string] | undefined => {
    const at = raw.indexOf(separator);
    return at > 0 && at + 1 < raw.length ? [raw.slice(0, at), raw.slice(at + 1)] : undefined;
  });

const codes = Object.keys(reasonCodes);

/** A reason code; there are too many to list in a help text. */
const reasonCode = kind("CODE", `one of the reason codes ${codes.join(", ")}`, (raw) =>
  codes.includes(raw) ? raw : undefined,
);

const requestFilterOptions = {
  bucket: repeated(choice(...requestBuckets), "outcome of the request; may be repeated; by default all errors"),
  stage: repeated(choice(...attributionBuckets), "stage that caused the error; may be repeated"),
  tier: optional(choice(...riskTiers), "risk tier of the top workflow"),
  workflow: optional(text, "correct or top workflow"),
  reasonCode: optional(reasonCode, "reason code of the decision, e.g. BELOW_RISK_THRESHOLD"),
  pair: optional(parted("RIGHT:FIRST", ":"), `correct and top workflow; ${noWorkflow} means out of scope`),
  slice: optional(parted("NAME=VALUE", "="), "slice of the dataset"),
} as const;

/** `eval show`, `measureRun` */
export const measureOptions = {
  run: optional(id, "run; by default the latest"),
  calibration: optional(id, "calibration to apply; by default the latest that fits the run"),
  minConfidence: optional(probability, "one confidence threshold for every tier, instead of a calibration"),
  uncalibrated: flag("apply no calibration: show the verifier's own confidence, without decisions"),
  ...gateOptions,
  fold: foldOption("fold to measure, or all"),
} as const;

/** `eval errors` */
export const errorsOptions = {
  ...decidedRunOptions,
  ...requestFilterOptions,
  sort: preset(
    choice(...errorOrders),
    "surest",
    "order of the list: wrong routes, then the most confident first; labels that the scores contradict most first; or by id",
  ),
  withTexts: flag("print the request texts"),
  limit: preset(count, "20", "number of requests to list; 0 shows only the counts"),
} as const;

const { fold: _, ...storyOptions } = decidedRunOptions;

/** `eval explain` */
export const explainOptions = {
  request: required(text, "id of a request in the run, as printed by sluice eval errors"),
  ...storyOptions,
  withTexts: flag("print the request text"),
} as const;

/** `eval score` */
export const scoreBundleOptions = {
  file: required(path, "labelled requests, JSON Lines, labelled for the catalog of the bundle"),
  bundleFolder: required(path, "folder of an exported bundle; its signatures are not checked"),
  workers,
} as const;

/** `eval export` */
export const exportOptions = {
  file: required(path, "file to write, ending in .arrow, .parquet or .csv; replaced if it exists"),
  ...decidedRunOptions,
  rows: preset(choice(...exportedRows), "requests", "content of a row"),
  withTexts: flag("include the request texts; only you can then read the file"),
} as const;

/** `eval compare`, `compareRuns` */
export const compareOptions = {
  a: required(id, "first run, calibration or evaluation"),
  b: required(id, "second one"),
  calibrationA: optional(id, "calibration for the first run; by default the latest that fits it"),
  calibrationB: optional(id, "calibration for the second run; by default the latest that fits it"),
  minConfidenceA: optional(probability, "one confidence threshold for the first run, instead of a calibration"),
  minConfidenceB: optional(probability, "one confidence threshold for the second run, instead of a calibration"),
  fold: foldOption("fold to compare, or all"),
  gate: gateOptions.gate,
  withTexts: flag("print the request texts of the flips"),
  out: optional(path, "also write the comparison as a page: .html, .md or .json"),
} as const;

const layouts = [
  "plain",
  "hint3",
  "rasa",
  "rasa-http",
  "dialogflow",
  "luis",
  "luis-v2",
  "lex",
  "nlpjs",
] as const satisfies readonly PredictionFormat[];

/** `eval import-predictions` */
export const importPredictionsOptions = {
  file: required(path, "predictions: CSV or TSV with a header, a JSON list, or JSONL"),
  layout: preset(
    choice(...layouts),
    "plain",
    "system that wrote the file; plain has id, gold, predicted and confidence",
  ),
  gold: optional(text, "field of the correct workflow; empty if out of scope"),
  predicted: optional(text, "field of the predicted workflow; empty if there is none"),
  confidence: optional(text, "field of the confidence, 0 to 1"),
  id: optional(text, "field of the request id; by default rows are numbered"),
  group: optional(text, "field of the out-of-scope group"),
  none: repeated(text, "prediction that means no workflow; may be repeated"),
  each: optional(list, "fields; creates one run per combination of their values"),
  system: preset(text, "imported", "name of the system"),
} as const;
