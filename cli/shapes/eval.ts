import type { CommandShape } from "../command-shape.js";
import { gateOptions, junitOption } from "../gate-options.js";
import { flag, optional, preset, repeated, required } from "../options.js";
import { choice, count, folderReference, id, list, listOf, path, probability, text } from "../parsers.js";
import { decidedRunOptions, foldOption } from "../commands/eval/run-options.js";
import { errorOrders, exportedRows } from "../../workbench/choices.js";
import { requestFilterOptions } from "../commands/eval/request-filter-options.js";
import type { PredictionFormat } from "../../eval/predictions/mappings.js";

export const evalRunShape = {
  name: ["eval", "run"],
  describe: "Score every request of a split once, through the code that serves",
  positionals: {},
  options: {
    split: optional(id, "split; the latest when absent"),
    retriever: optional(folderReference, "retriever, also a model directory; the latest when absent"),
    verifier: optional(folderReference, "verifier, also a model directory; the latest when absent"),
    policy: optional(path, "routing policy, YAML or JSON; the default policy when absent"),
    workers: preset(count, "2", "inference threads"),
    "max-errors": preset(probability, "0.01", "share of requests whose scoring may fail"),
    ...gateOptions,
  },
  examples: [
    ["sluice eval run", "the latest split and models"],
    ["sluice eval run --retriever my-encoder --policy policy.yaml --workers 4", "an own model and policy"],
  ],
} satisfies CommandShape;

export const evalShowShape = {
  name: ["eval", "show"],
  describe: "Show every metric of one fold of a run, with intervals",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    calibration: optional(id, "calibration whose thresholds decide; the latest that applies to the run when absent"),
    "min-confidence": optional(probability, "one confidence for every tier instead of a calibration"),
    uncalibrated: flag("use no calibration: no decisions, the verifier's own confidence"),
    all: flag("every number: operating points, decompositions, counterfactuals and each slice"),
    ...gateOptions,
    fold: foldOption("fold to measure; all for every fold"),
  },
  examples: [
    ["sluice eval show", "the evaluation fold of the latest run"],
    ["sluice eval show --run 3f9c01ab --all", "every number and each slice of another run"],
  ],
} satisfies CommandShape;

export const evalErrorsShape = {
  name: ["eval", "errors"],
  describe: "List the requests that a run gets wrong, and count them by bucket, workflow pair and slice",
  positionals: {},
  options: {
    ...decidedRunOptions,
    ...requestFilterOptions,
    sort: preset(choice(...errorOrders), "surest", "order of the list, by confidence or id"),
    limit: preset(count, "20", "requests in the list; 0 for the counts alone"),
    "with-texts": flag("print the texts of the requests, from the dataset"),
  },
  examples: [
    ["sluice eval errors --bucket routed_wrong --with-texts", "wrong routes, the surest first, with their texts"],
    ["sluice eval errors --fold all --limit 0", "only the counts, over all folds"],
  ],
} satisfies CommandShape;

const { fold: _, ...runOptions } = decidedRunOptions;

export const evalExplainShape = {
  name: ["eval", "explain"],
  describe: "Explain the decision of one request: candidates, evidence, thresholds, and what would change it",
  positionals: { request: optional(text, "id of a request of the run, as sluice eval errors prints it") },
  options: {
    ...runOptions,
    text: optional(text, "text that is in no dataset, scored with the models of the run; - reads it from stdin"),
    "with-texts": flag("print the text of the request, from the dataset"),
  },
  examples: [
    ["sluice eval explain line-17", "one request of the latest run"],
    ["sluice eval explain --text - --json", "a text from stdin, as one JSON document"],
  ],
} satisfies CommandShape;

/** Numbers of suggestions. */
const numbers = listOf("1,2,...", "different numbers of suggestions such as 1,2", {
  read: (raw) => (/^[1-9]\d{0,3}$/.test(raw) ? Number(raw) : undefined),
  accepted: (values) => new Set(values).size === values.length,
});

export const evalSuggestShape = {
  name: ["eval", "suggest"],
  describe: "Suggest changes of the catalog and requests to label, each with its gain on held-out requests",
  positionals: {},
  options: {
    run: optional(id, "run; by default the latest"),
    limit: preset(count, "8", "suggestions to measure; the time grows with it"),
    requests: preset(count, "300", "held-out requests that each is measured on, at most"),
    labels: preset(count, "20", "requests to label"),
    unlabelled: optional(
      path,
      "texts to choose them from: one on each line of a .txt file, or .jsonl with text and id",
    ),
    out: optional(path, "new catalog file with suggestions applied; it is never the catalog itself"),
    take: optional(numbers, "suggestions that the file applies; by default those whose gain is shown"),
    workers: preset(count, "2", "inference threads"),
    "with-texts": flag("print the texts that become or move as examples, and those to label"),
  },
  examples: [
    ["sluice eval suggest", "what to change, and what it brings; nothing is applied"],
    ["sluice eval suggest --out proposed.yaml --take 1,3", "a copy of the catalog with two suggestions applied"],
  ],
} satisfies CommandShape;

export const evalExportShape = {
  name: ["eval", "export"],
  describe: "Write the scored requests of a run as a table for a notebook: Arrow, Parquet or CSV",
  positionals: { file: required(path, "file that ends in .arrow, .parquet or .csv; an older one is replaced") },
  options: {
    ...decidedRunOptions,
    rows: preset(choice(...exportedRows), "requests", "what a row is"),
    "with-texts": flag("add the texts of the requests, from the dataset; the file is then readable by you alone"),
  },
  examples: [
    ["sluice eval export requests.parquet --fold all", "every request of the latest run"],
    ["sluice eval export candidates.arrow --rows candidates", "every candidate of every request of fold EVAL"],
  ],
} satisfies CommandShape;

/** The thresholds of each side of a comparison, and the fold. */
export const comparedSideOptions = {
  "calibration-a": optional(id, "calibration of the first run; the latest that applies to it when absent"),
  "calibration-b": optional(id, "calibration of the second run; the latest that applies to it when absent"),
  "min-confidence-a": optional(probability, "one confidence for all of the first run instead of a calibration"),
  "min-confidence-b": optional(probability, "one confidence for all of the second run instead of a calibration"),
  fold: foldOption("fold to compare on; all for every fold"),
} as const;

export const evalCompareShape = {
  name: ["eval", "compare"],
  describe: "Compare the decisions of two runs on the same requests: what flips, and by how much it matters",
  positionals: { a: required(id, "first run"), b: required(id, "second run") },
  options: {
    ...comparedSideOptions,
    gate: gateOptions.gate,
    ...junitOption,
    "with-texts": flag("print the texts of the flips, from the dataset"),
    flips: preset(count, "20", "flips to print"),
  },
  examples: [
    ["sluice eval compare 3f9c01ab 77e1d2c4", "what changes from the first run to the second"],
    [
      "sluice eval compare 3f9c01ab 77e1d2c4 --gate 'coverage>=A-0.02' --gate 'worse_flips<=10'",
      "exit code 3 when a bar is missed",
    ],
  ],
} satisfies CommandShape;

export const evalListShape = {
  name: ["eval", "list"],
  describe: "List the runs of the workspace, oldest first, with what they were scored on",
  positionals: {},
  options: {},
  examples: [
    ["sluice eval list", "every run"],
    ["sluice eval list --json", "the same for a script"],
  ],
} satisfies CommandShape;

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

export const evalImportPredictionsShape = {
  name: ["eval", "import-predictions"],
  describe: "Keep another system's predictions as a run, so that every metric works on them",
  positionals: { file: required(path, "predictions: CSV or TSV with a header, a JSON list, or JSONL") },
  options: {
    layout: preset(choice(...layouts), "plain", "system whose output it is; plain has id, gold, predicted, confidence"),
    gold: optional(text, "field of the right workflow, empty when out of scope"),
    predicted: optional(text, "field of the predicted workflow, empty when there is none"),
    confidence: optional(text, "field of the confidence, 0 to 1"),
    id: optional(text, "field of the request's id; rows are numbered without one"),
    group: optional(text, "field of the out-of-scope group"),
    none: repeated(text, "prediction that means no workflow; may be repeated"),
    each: optional(list, "fields: one run for each combination of their values"),
    system: preset(text, "imported", "name of the system"),
  },
  examples: [
    ["sluice eval import-predictions predictions.csv --layout hint3 --each bot,system", "a run for each system"],
    ["sluice eval import-predictions answers.jsonl --layout lex --gold label --system lex", "answers of Lex V2"],
  ],
} satisfies CommandShape;
