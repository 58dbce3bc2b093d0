import { preset } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { junitOption } from "../options.js";
import {
  compareOptions,
  errorsOptions,
  explainOptions,
  exportOptions,
  importPredictionsOptions,
  measureOptions,
  mergeOptions,
  runOptions,
  scoreBundleOptions,
  shardOptions,
  workerOptions,
} from "../../stages/options/eval.js";
import { count } from "../../stages/options/kinds.js";

export const evalRunSpec = {
  name: ["eval", "run"],
  describe: "Score every request of a split once, with the serving code",
  positionals: {},
  options: runOptions,
  own: { ...shardOptions, ...junitOption },
  examples: [
    ["sluice eval run", "the latest split and models"],
    ["sluice eval run --retriever my-encoder --policy policy.yaml --workers 4", "your own model and policy"],
  ],
} satisfies CommandSpec;

export const evalWorkerSpec = {
  name: ["eval", "worker"],
  describe: "Score shards of a queue until interrupted; start one on each machine",
  positionals: {},
  options: workerOptions,
  examples: [
    ["sluice eval worker --queue redis://queue:6379 --inputs /shared/inputs", "inputs in a shared folder"],
    ["sluice eval worker --queue rediss://queue:6380 --queue-credentials queue.pass --concurrency 4", "with TLS"],
  ],
} satisfies CommandSpec;

const { files, ...merging } = mergeOptions;

export const evalMergeSpec = {
  name: ["eval", "merge"],
  describe: "Merge the shards of a run; the result equals a run by one process",
  positionals: { files },
  options: merging,
  own: junitOption,
  examples: [
    ["sluice eval merge", "all shards of one run"],
    ["sluice eval merge shards --gate 'coverage>=0.5'", "exit code 3 when a gate is not met"],
  ],
} satisfies CommandSpec;

export const evalShowSpec = {
  name: ["eval", "show"],
  describe: "Show the metrics of one fold of a run, with intervals",
  positionals: {},
  options: measureOptions,
  own: junitOption,
  examples: [
    ["sluice eval show", "the evaluation fold of the latest run"],
    ["sluice eval show --run 3f9c01ab --json", "everything about a specific run, as JSON"],
  ],
} satisfies CommandSpec;

export const evalErrorsSpec = {
  name: ["eval", "errors"],
  describe: "List the errors of a run, and count them by bucket, workflow pair and slice",
  positionals: {},
  options: errorsOptions,
  examples: [
    ["sluice eval errors --bucket routed_wrong --with-texts", "wrong routes with their texts, most confident first"],
    ["sluice eval errors --fold all --limit 0", "only the counts, over all folds"],
  ],
} satisfies CommandSpec;

const { request, ...story } = explainOptions;

export const evalExplainSpec = {
  name: ["eval", "explain"],
  describe: "Explain the decision of one request: candidates, features, thresholds, and what would change it",
  positionals: { request },
  options: story,
  examples: [
    ["sluice eval explain line-17", "one request of the latest run"],
    ["sluice eval explain line-17 --with-texts --json", "with its text, as one JSON document"],
  ],
} satisfies CommandSpec;

const { file: labelled, ...scoring } = scoreBundleOptions;

export const evalScoreSpec = {
  name: ["eval", "score"],
  describe: "Score recent labelled requests with a bundle, and check whether its claims hold on them",
  positionals: { file: labelled },
  options: scoring,
  examples: [
    ["sluice eval score today.jsonl --bundle-folder bundle-7", "the claims of a bundle on today's requests"],
    ["sluice eval score today.jsonl --bundle-folder bundle-7 --json", "with every metric, as JSON"],
  ],
} satisfies CommandSpec;

const { file: table, ...exporting } = exportOptions;

export const evalExportSpec = {
  name: ["eval", "export"],
  describe: "Export the scored requests of a run as Arrow, Parquet or CSV",
  positionals: { file: table },
  options: exporting,
  examples: [
    ["sluice eval export requests.parquet --fold all", "every request of the latest run"],
    ["sluice eval export candidates.arrow --rows candidates", "every candidate of every request in fold EVAL"],
  ],
} satisfies CommandSpec;

const { a, b, ...comparing } = compareOptions;

export const evalCompareSpec = {
  name: ["eval", "compare"],
  describe: "Compare two runs on the same requests: differences, and decisions that flip",
  positionals: { a, b },
  options: comparing,
  own: { ...junitOption, flips: preset(count, "20", "number of flips to print") },
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

const { file: predictions, ...layout } = importPredictionsOptions;

export const evalImportPredictionsSpec = {
  name: ["eval", "import-predictions"],
  describe: "Import the predictions of another system as a run, to apply every metric to them",
  positionals: { file: predictions },
  options: layout,
  examples: [
    ["sluice eval import-predictions predictions.csv --layout hint3 --each bot,system", "one run per system"],
    ["sluice eval import-predictions answers.jsonl --layout lex --gold label --system lex", "output of Lex V2"],
  ],
} satisfies CommandSpec;
