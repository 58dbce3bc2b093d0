import { halvesOf } from "../../datasets/labelling/halves.js";
import type { Click } from "../../datasets/labelling/label-records.js";
import { predictionMappings } from "../../eval/predictions/mappings.js";
import { readPredictions } from "../../eval/predictions/read-predictions.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { SluiceError } from "../../src/base/error.js";
import { readInput } from "../../src/base/files.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { inTransaction } from "../../store/history/write.js";
import type { ProjectFile } from "../../store/project/project-file.js";
import { saveRecord, withHistory } from "../../store/records/session.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { readLabelling, type RequestLog, requireOpenExamples } from "./labelling.js";

interface JudgedOptions {
  readonly project: ProjectFile;
  readonly log: RequestLog;
  readonly file: string;
}

/**
 * Saves predictions of another system as judgements of examples. Predictions on the test half, and on requests that were judged
 * before, are not used.
 * @throws {SluiceError} FILE_NOT_FOUND; DOCUMENT_INVALID  a workflow is not in the catalog, or no row is in the log; USAGE  a
 *   test was planned before
 */
export async function saveJudged(workbench: WorkbenchContext, { project, log, file }: JudgedOptions): Promise<void> {
  const predictions = await readPredictions(
    { file, bytes: await readInput(file) },
    { mapping: predictionMappings.plain, by: [] },
  );
  const { catalog } = await loadCatalog(project.catalog);
  const workflows = new Map(catalog.workflows.map(({ workflow_id: id }) => [id as string, id]));
  const half = new Set(halvesOf(log.rows, project.seed).examples.map(({ id }) => id));
  if (!predictions.some(({ id }) => log.byId.has(id))) {
    throw new SluiceError("DOCUMENT_INVALID", `${file}: no id is that of a row of ${project.log}`, {
      hint: "Predict the rows of log.jsonl, and keep their ids.",
    });
  }
  const judged = predictions
    .filter(({ id }) => half.has(id))
    .map(({ id, predicted }) => {
      const workflow = predicted === null ? null : workflows.get(predicted);
      if (workflow !== undefined) return { row: id, workflow };
      throw new SluiceError("DOCUMENT_INVALID", `${file}: row ${id}: the catalog has no workflow ${predicted}`, {
        hint: "Use the workflow ids of catalog.yaml, and an empty value for none.",
      });
    });
  await withHistory(workbench, "write", async (session) =>
    inTransaction(session.history, () => {
      const labelling = readLabelling(session.history, log, project.seed);
      requireOpenExamples(labelling);
      const { clicks, of } = labelling;
      const known = new Set(of.example.map(({ row }) => row));
      for (const [index, { row, workflow }] of judged.filter((one) => !known.has(one.row)).entries()) {
        const click: Click = {
          schema_version: 1,
          log_sha256: log.sha256,
          seed: project.seed,
          number: clicks + index + 1,
          phase: "example",
          row,
          answer: workflow === null ? "none" : "workflow",
          workflow_id: workflow,
          rank: null,
          judged: true,
        };
        saveRecord(session, "click", canonicalBytes(click));
      }
    }),
  );
}
