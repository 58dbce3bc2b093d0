import type { PredictionFormat, PredictionMapping } from "../../../eval/predictions/mappings.js";
import { toSnake } from "../../../src/domain/camel.js";
import type { ImportedPredictions } from "../../../workbench/evaluation/import-predictions.js";
import { defineCommand } from "../../command.js";
import { optional, preset, repeated, required } from "../../options.js";
import { choice, list, path, text } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { table } from "../../table.js";

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

export const evalImportPredictions = defineCommand({
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
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { importPredictions } = await import("../../../workbench/evaluation/import-predictions.js");
      const { predictionMappings } = await import("../../../eval/predictions/mappings.js");
      const { readInput } = await import("../../../workbench/read-input.js");
      const imported = importPredictions(stage, {
        file: args.file,
        bytes: await readInput(args.file),
        mapping: mappingOf(predictionMappings[args.layout], args),
        by: (args.each ?? []).map(pathOf),
        system: args.system,
      });
      const [first] = imported;
      return commandResult({
        schema: "eval-import-predictions@1",
        result: {
          runs: imported.map(({ runId, run, summary }) => ({
            run: runId,
            document: run,
            summary: toSnake<unknown>(summary),
          })),
        },
        lines: [
          ...summaryLines(imported),
          "",
          "  cov@: largest share answered at that accuracy, threshold chosen on the same rows",
        ],
        next:
          first === undefined
            ? []
            : [context.nextLine("eval", "show", "--run", shortId(first.runId), "--min-confidence", "0.5")],
      });
    }),
});

interface MappingOptions {
  readonly gold: string | undefined;
  readonly predicted: string | undefined;
  readonly confidence: string | undefined;
  readonly id: string | undefined;
  readonly group: string | undefined;
  readonly none: readonly string[];
}

/** Keys are separated by points; a column whose own name has points cannot be named. */
const pathOf = (field: string): readonly string[] => field.split(".");

function mappingOf(shipped: PredictionMapping, given: MappingOptions): PredictionMapping {
  const fieldPath = (field: "gold" | "predicted" | "confidence" | "id" | "group"): readonly string[] => {
    const named = given[field];
    return named === undefined ? shipped[field] : pathOf(named);
  };
  return {
    ...shipped,
    gold: fieldPath("gold"),
    predicted: fieldPath("predicted"),
    confidence: fieldPath("confidence"),
    id: fieldPath("id"),
    group: fieldPath("group"),
    none: [...shipped.none, ...given.none],
  };
}

function summaryLines(imported: readonly ImportedPredictions[]): readonly string[] {
  const share = (value: number | null, digits = 3): string => (value === null ? "-" : value.toFixed(digits));
  const rows = imported.map(({ runId, run, summary: s }) => [
    shortId(runId),
    run.model_version,
    String(s.requests),
    String(s.outOfScope),
    share(s.bestThreshold, 1),
    share(s.inScopeAccuracy),
    share(s.outOfScopeRecall),
    share(s.matthews),
    share(s.auroc.value),
    share(s.aurc.value),
    share(s.coverageAt90),
    share(s.coverageAt95),
    share(s.expectedCalibrationError.value),
  ]);
  const heading = [
    "run",
    "system",
    "n",
    "OOS",
    "best t",
    "in-acc",
    "OOS rec",
    "MCC",
    "AUROC",
    "AURC",
    "cov@90",
    "cov@95",
    "ECE",
  ];
  return table(rows, heading);
}
