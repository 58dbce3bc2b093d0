import { type PredictionMapping, predictionMappings } from "../../../eval/predictions/mappings.js";
import { importPredictions } from "../../../stages/import-predictions.js";
import { withHistory } from "../../../store/records/with-history.js";
import { shortId } from "../../../store/records/short-id.js";
import { systemTable } from "./system-table.js";
import type { WorkOf } from "../../command.js";
import type { evalImportPredictionsSpec } from "../../specs/eval.js";
import { readInput } from "../../../store/read-input.js";

export const evalImportPredictions: WorkOf<typeof evalImportPredictionsSpec> = (context, args) =>
  withHistory(context, "write", async (session) => {
    const imported = importPredictions(session, {
      file: args.file,
      bytes: await readInput(args.file),
      mapping: mappingOf(predictionMappings[args.layout], args),
      by: (args.each ?? []).map(pathOf),
      system: args.system,
    });
    const [first] = imported;
    return {
      result: {
        runs: imported.map(({ runId, run, summary }) => ({
          run: runId,
          document: run,
          summary: summary,
        })),
      },
      lines: [
        ...systemTable(
          imported.map(({ runId, run, summary }) => ({ run_id: runId, summary, system: run.model_version })),
        ),
        "",
        "  cov@: largest share answered with that accuracy, with the threshold chosen on the same rows",
      ],
      next:
        first === undefined
          ? []
          : [context.nextLine("eval", "show", "--run", shortId(first.runId), "--min-confidence", "0.5")],
    };
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
