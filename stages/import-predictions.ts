import type { FieldPath, PredictionMapping } from "../eval/predictions/mappings.js";
import { type PredictionRun, predictionRuns } from "../eval/predictions/prediction-records.js";
import { type PredictionSummary, summarisePredictions } from "../eval/predictions/prediction-summary.js";
import { readPredictions } from "../eval/predictions/read-predictions.js";
import { scoredTableBytes } from "../eval/scored-table.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { ImportedRun } from "../src/documents/scored-record.js";
import { saveRecord, type Session } from "../store/records/session.js";

export interface ImportPredictionsOptions {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly mapping: PredictionMapping;
  /** One run for each combination of the values of these fields. */
  readonly by: readonly FieldPath[];
  /** Name of the system; the values of `by` are added to it. */
  readonly system: string;
}

export interface ImportedPredictions {
  readonly runId: string;
  readonly run: ImportedRun;
  readonly summary: PredictionSummary;
}

/** Saves one run for each system or part of a predictions file. @throws {SluiceError} those of reading */
export function importPredictions(session: Session, options: ImportPredictionsOptions): readonly ImportedPredictions[] {
  const runs = predictionRuns(readPredictions(options, options));
  session.context.progress.start("importing", runs.length);
  const kept = runs.map((run, index) => {
    const imported = saveRun(session, run, options);
    session.context.progress.update(index + 1);
    return imported;
  });
  session.context.progress.done();
  return kept;
}

function saveRun(
  session: Session,
  { by, records, unlabelled, topK }: PredictionRun,
  { bytes, system }: ImportPredictionsOptions,
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
