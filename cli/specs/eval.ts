import { flag, optional, preset, repeated, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { gateOptions, junitOption, noteOption } from "../options.js";
import {
  choice,
  count,
  duration,
  folderReference,
  id,
  list,
  path,
  probability,
  shardPart,
  text,
} from "../../stages/options/kinds.js";
import { decidedRunOptions, foldOption, requestFilterOptions } from "../commands/eval/run-options.js";
import { defaultWorkers, errorOrders, exportedRows } from "../../stages/choices.js";
import type { PredictionFormat } from "../../eval/predictions/mappings.js";

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

export const evalRunSpec = {
  name: ["eval", "run"],
  describe: "Score every request of a split once, with the serving code",
  positionals: {},
  options: {
    split: optional(id, "split; by default the latest"),
    retriever: optional(folderReference, "retriever: id or model folder; by default the latest"),
    verifier: optional(folderReference, "verifier: id or model folder; by default the latest"),
    policy: optional(path, "routing policy, YAML or JSON; by default the built-in policy"),
    workers: preset(count, String(defaultWorkers), "inference threads"),
    maxErrors: preset(probability, "0.01", "largest share of requests that may fail"),
    shard: optional(shardPart, "score one of several parts and write it as a file, for sluice eval merge"),
    shardFolder: optional(path, "folder of the shard file; by default shards in the workspace"),
    ...newQueueKey,
    ...queueOptions,
    shipTexts: flag("send the inputs, request texts included, through Redis to workers that cannot read --inputs"),
    ...noteOption,
    shards: optional(count, "with --queue: number of shards; by default one for every 200 requests"),
    jobTimeout: preset(duration, "30m", "with --queue: longest time of one attempt at a shard"),
    ...gateOptions,
  },
  examples: [
    ["sluice eval run", "the latest split and models"],
    ["sluice eval run --retriever my-encoder --policy policy.yaml --workers 4", "your own model and policy"],
  ],
} satisfies CommandSpec;

export const evalWorkerSpec = {
  name: ["eval", "worker"],
  describe: "Score shards of a queue until interrupted; start one on each machine",
  positionals: {},
  options: {
    ...givenQueueKey,
    ...queueOptions,
    concurrency: preset(count, "1", "shards at once"),
    workers: preset(count, String(defaultWorkers), "inference threads"),
  },
  examples: [
    ["sluice eval worker --queue redis://queue:6379 --inputs /shared/inputs", "inputs in a shared folder"],
    ["sluice eval worker --queue rediss://queue:6380 --queue-credentials queue.pass --concurrency 4", "with TLS"],
  ],
} satisfies CommandSpec;

export const evalMergeSpec = {
  name: ["eval", "merge"],
  describe: "Merge the shards of a run; the result equals a run by one process",
  positionals: { files: repeated(path, "shard files, written by eval run --shard") },
  options: {
    retriever: optional(folderReference, "retriever that the history lacks: model folder"),
    verifier: optional(folderReference, "verifier that the history lacks: model folder"),
    policy: optional(path, "routing policy that the history lacks, YAML or JSON"),
    maxErrors: preset(probability, "0.01", "largest share of requests that may fail"),
    ...givenQueueKey,
    ...noteOption,
    ...gateOptions,
  },
  examples: [
    ["sluice eval merge sluice-workspace/shards/*.shard", "all shards of one run"],
    ["sluice eval merge shards/*.shard --gate 'coverage>=0.5'", "exit code 3 when a gate is not met"],
  ],
} satisfies CommandSpec;

export const evalShowSpec = {
  name: ["eval", "show"],
  describe: "Show the metrics of one fold of a run, with intervals",
  positionals: {},
  options: {
    run: optional(id, "run; by default the latest"),
    calibration: optional(id, "calibration to apply; by default the latest that fits the run"),
    minConfidence: optional(probability, "one confidence threshold for every tier, instead of a calibration"),
    uncalibrated: flag("apply no calibration: show the verifier's own confidence, without decisions"),
    ...gateOptions,
    fold: foldOption("fold to measure, or all"),
  },
  examples: [
    ["sluice eval show", "the evaluation fold of the latest run"],
    ["sluice eval show --run 3f9c01ab --json", "everything about a specific run, as JSON"],
  ],
} satisfies CommandSpec;

export const evalErrorsSpec = {
  name: ["eval", "errors"],
  describe: "List the errors of a run, and count them by bucket, workflow pair and slice",
  positionals: {},
  options: {
    ...decidedRunOptions,
    ...requestFilterOptions,
    sort: preset(
      choice(...errorOrders),
      "surest",
      "order of the list: wrong routes, then the most confident first; labels that the scores contradict most first; or by id",
    ),
    limit: preset(count, "20", "number of requests to list; 0 shows only the counts"),
    withTexts: flag("print the request texts"),
  },
  examples: [
    ["sluice eval errors --bucket routed_wrong --with-texts", "wrong routes with their texts, most confident first"],
    ["sluice eval errors --fold all --limit 0", "only the counts, over all folds"],
  ],
} satisfies CommandSpec;

const { fold: _, ...runOptions } = decidedRunOptions;

export const evalExplainSpec = {
  name: ["eval", "explain"],
  describe: "Explain the decision of one request: candidates, features, thresholds, and what would change it",
  positionals: { request: required(text, "id of a request in the run, as printed by sluice eval errors") },
  options: {
    ...runOptions,
    withTexts: flag("print the request text"),
  },
  examples: [
    ["sluice eval explain line-17", "one request of the latest run"],
    ["sluice eval explain line-17 --with-texts --json", "with its text, as one JSON document"],
  ],
} satisfies CommandSpec;

export const evalScoreSpec = {
  name: ["eval", "score"],
  describe: "Score recent labelled requests with a bundle, and check whether its claims hold on them",
  positionals: { file: required(path, "labelled requests, JSON Lines, labelled for the catalog of the bundle") },
  options: {
    bundleFolder: required(path, "folder of an exported bundle; its signatures are not checked"),
    workers: preset(count, String(defaultWorkers), "inference threads"),
  },
  examples: [
    ["sluice eval score today.jsonl --bundle-folder bundle-7", "the claims of a bundle on today's requests"],
    ["sluice eval score today.jsonl --bundle-folder bundle-7 --json", "with every metric, as JSON"],
  ],
} satisfies CommandSpec;

export const evalExportSpec = {
  name: ["eval", "export"],
  describe: "Export the scored requests of a run as Arrow, Parquet or CSV",
  positionals: { file: required(path, "file to write, ending in .arrow, .parquet or .csv; replaced if it exists") },
  options: {
    ...decidedRunOptions,
    rows: preset(choice(...exportedRows), "requests", "content of a row"),
    withTexts: flag("include the request texts; only you can then read the file"),
  },
  examples: [
    ["sluice eval export requests.parquet --fold all", "every request of the latest run"],
    ["sluice eval export candidates.arrow --rows candidates", "every candidate of every request in fold EVAL"],
  ],
} satisfies CommandSpec;

export const evalCompareSpec = {
  name: ["eval", "compare"],
  describe: "Compare two runs on the same requests: differences, and decisions that flip",
  positionals: {
    a: required(id, "first run, calibration or evaluation"),
    b: required(id, "second one"),
  },
  options: {
    calibrationA: optional(id, "calibration for the first run; by default the latest that fits it"),
    calibrationB: optional(id, "calibration for the second run; by default the latest that fits it"),
    minConfidenceA: optional(probability, "one confidence threshold for the first run, instead of a calibration"),
    minConfidenceB: optional(probability, "one confidence threshold for the second run, instead of a calibration"),
    fold: foldOption("fold to compare, or all"),
    gate: gateOptions.gate,
    ...junitOption,
    withTexts: flag("print the request texts of the flips"),
    flips: preset(count, "20", "number of flips to print"),
    out: optional(path, "also write the comparison as a page: .html, .md or .json"),
  },
  examples: [
    ["sluice eval compare 3f9c01ab 77e1d2c4 --out comparison.html", "the changes from the first run to the second"],
    [
      "sluice eval compare 3f9c01ab 77e1d2c4 --gate 'coverage>=A-0.02' --gate 'worse_flips<=10'",
      "exit code 3 when a gate is not met",
    ],
  ],
} satisfies CommandSpec;

export const evalListSpec = {
  name: ["eval", "list"],
  describe: "List the runs of the workspace with their inputs and results, oldest first",
  positionals: {},
  options: {},
  examples: [
    ["sluice eval list", "every run"],
    ["sluice eval list --json", "the same as JSON"],
  ],
} satisfies CommandSpec;

export const evalLeaderboardSpec = {
  name: ["eval", "leaderboard"],
  describe: "Rank imported systems that answered the same requests",
  positionals: {},
  options: {},
  examples: [
    ["sluice eval leaderboard", "one table for each set of requests, lowest AURC first"],
    ["sluice eval leaderboard --json", "the same as JSON"],
  ],
} satisfies CommandSpec;

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

export const evalImportPredictionsSpec = {
  name: ["eval", "import-predictions"],
  describe: "Import the predictions of another system as a run, to apply every metric to them",
  positionals: { file: required(path, "predictions: CSV or TSV with a header, a JSON list, or JSONL") },
  options: {
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
  },
  examples: [
    ["sluice eval import-predictions predictions.csv --layout hint3 --each bot,system", "one run per system"],
    ["sluice eval import-predictions answers.jsonl --layout lex --gold label --system lex", "output of Lex V2"],
  ],
} satisfies CommandSpec;
