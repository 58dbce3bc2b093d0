import { readInput } from "../src/base/files.js";
import { withHistory, saveRecord, type Session } from "../store/records/session.js";
import type { ValuesOf } from "../src/base/options.js";
import type { importPredictionsOptions } from "./options/eval.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { type FieldPath, type PredictionMapping, predictionMappings } from "../eval/predictions/mappings.js";
import { type PredictionRun, predictionRuns } from "../eval/predictions/prediction-records.js";
import { summarisePredictions } from "../eval/predictions/prediction-summary.js";
import type { PredictionSummary } from "../src/documents/comparison.js";
import { readPredictions } from "../eval/predictions/read-predictions.js";
import { scoredTableBytes } from "../eval/scored-table.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { ImportedRun } from "../src/documents/scored-record.js";

type ImportPredictionsOptions = ValuesOf<typeof importPredictionsOptions>;

/** One system or part of a file, saved as a run. */
export interface ImportedPredictions {
  readonly runId: string;
  readonly run: ImportedRun;
  readonly summary: PredictionSummary;
}

/** Saves one run per system or part of a predictions file. @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID */
export async function importPredictions(
  workbench: WorkbenchContext,
  options: ImportPredictionsOptions,
): Promise<readonly ImportedPredictions[]> {
  return withHistory(workbench, "write", async (session) => {
    const { file, system, each = [] } = options;
    const bytes = await readInput(file);
    const runs = predictionRuns(
      await readPredictions({ file, bytes }, { mapping: mappingOf(options), by: each.map(pathOf) }),
    );
    const { progress } = workbench;
    progress.start("importing", runs.length);
    const kept = runs.map((run, index) => {
      const imported = saveRun(session, run, { bytes, system });
      progress.update(index + 1);
      return imported;
    });
    progress.done();
    return kept;
  });
}

const pathOf = (field: string): FieldPath => field.split(".");

function mappingOf({ layout, none, ...given }: ImportPredictionsOptions): PredictionMapping {
  const shipped: PredictionMapping = predictionMappings[layout];
  const fieldPath = (field: "gold" | "predicted" | "confidence" | "id" | "group"): FieldPath => {
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
    none: [...shipped.none, ...none],
  };
}

function saveRun(
  session: Session,
  { by, records, unlabelled, topK }: PredictionRun,
  { bytes, system }: { readonly bytes: Uint8Array; readonly system: string },
): ImportedPredictions {
  const table = scoredTableBytes(records);
  const run: ImportedRun = {
    schema_version: 1,
    kind: "imported",
    source_sha256: sha256Hex(bytes),
    model_version: [system, ...by].join(" "),
    records_sha256: sha256Hex(table),
    requests: records.length,
    scoring_errors: 0,
    unlabelled,
    top_k: topK,
  };
  const { sha256 } = saveRecord(session, "run", canonicalBytes(run), [table, Buffer.from(bytes)]);
  return { runId: sha256, run, summary: summarisePredictions(records) };
}
