import { halvesOf } from "../../datasets/labelling/halves.js";
import type { Click } from "../../datasets/labelling/label-records.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { SluiceError } from "../../src/base/error.js";
import { BadRows } from "../../datasets/bad-rows.js";
import { readTable } from "../../datasets/sources/tables/read-table.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { inTransaction } from "../../store/history/write.js";
import type { ProjectFile } from "../../store/project/project-file.js";
import { saveRecord, withHistory } from "../../store/records/session.js";
import { runCommand } from "../../store/run-command.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { readLabelling, type RequestLog, requireOpenExamples } from "./labelling.js";

interface JudgedOptions {
  readonly project: ProjectFile;
  readonly log: RequestLog;
  /** A table with `id` and `predicted`, and its name in messages. */
  readonly predictions: SourceFile;
}

/** Most texts that a command judges, for each workflow of the catalog. */
const askedPerWorkflow = 25;
const commandLimits = { timeoutMs: 30 * 60_000, maxOutputBytes: 4_000_000, stderr: "ignore" } as const;

/**
 * Asks a command for the workflows of random texts of the half for examples: rows with `id` and `text` on its standard
 * input, predictions on its standard output, both as JSON Lines.
 * @throws {SluiceError} DOCUMENT_INVALID  the command failed or printed too much; and the abort reason of the signal
 */
export async function predictionsOfCommand(
  { signal }: Pick<WorkbenchContext, "signal">,
  { project, log, command }: Pick<JudgedOptions, "project" | "log"> & { readonly command: string },
): Promise<SourceFile> {
  const { catalog } = await loadCatalog(project.catalog);
  const half = new Map(halvesOf(log.rows, project.seed).examples.map(({ id, text }) => [text, id]));
  const asked = [...half].slice(0, askedPerWorkflow * catalog.workflows.length);
  const input = asked.map(([text, id]) => `${JSON.stringify({ id, text })}\n`).join("");
  const failed = (text: string, cause?: unknown) =>
    new SluiceError("DOCUMENT_INVALID", `the judge command ${text}`, {
      hint: 'It reads lines such as {"id": "log-1", "text": "..."}, prints {"id": "log-1", "predicted": "..."} for each, and ends with 0.',
      cause,
    });
  const bytes = await runCommand({ ...commandLimits, command, signal, failed }, Buffer.from(input));
  return { file: "judge.jsonl", bytes };
}

/**
 * Saves predictions of another system as judgements of examples. Predictions on the test half, and on requests that were judged
 * before, are not used.
 * @throws {SluiceError} DOCUMENT_INVALID  a workflow is not in the catalog, or no row is in the log; USAGE  a
 *   test was planned before
 */
export async function saveJudged(
  workbench: WorkbenchContext,
  { project, log, predictions: source }: JudgedOptions,
): Promise<void> {
  const judged = await readJudged(project, log, source);
  await withHistory(workbench, "write", async (session) =>
    inTransaction(session.history, () => {
      const labelling = readLabelling(session.history, log, project.seed);
      requireOpenExamples(labelling);
      const { clicks, of } = labelling;
      const known = new Set(of.example.map(({ row }) => row));
      for (const [index, [row, workflow]] of judged.filter(([id]) => !known.has(id)).entries()) {
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

/** The judged workflow of each row of the half for examples, by id; null: none of the catalog. */
async function readJudged(
  { log: logFile, catalog: catalogFile, seed }: ProjectFile,
  { rows, byId }: RequestLog,
  source: SourceFile,
): Promise<readonly (readonly [string, WorkflowId | null])[]> {
  const bad = new BadRows();
  const { catalog } = await loadCatalog(catalogFile);
  const workflows = new Map<string, WorkflowId>(catalog.workflows.map(({ workflow_id: id }) => [id, id]));
  const half = new Set(halvesOf(rows, seed).examples.map(({ id }) => id));
  const judged = new Map<string, WorkflowId | null>();
  const table = await readTable(source, bad);
  for (const { at, cells } of table.rows) {
    const id = cellOf(cells.get("id"));
    if (!byId.has(id)) continue;
    const predicted = cellOf(cells.get("predicted"));
    const workflow = predicted === "" ? null : workflows.get(predicted);
    const refuse = (rule: string): void => bad.add({ file: source.file, at, column: "predicted", rule });
    if (!cells.has("predicted")) refuse("there is no such column");
    else if (workflow === undefined) refuse("the catalog has no such workflow");
    else if (judged.has(id) && judged.get(id) !== workflow) refuse("an earlier line with this id has another workflow");
    else judged.set(id, workflow);
  }
  bad.settle("Use the workflow ids of catalog.yaml, and an empty value for none.");
  if (judged.size === 0) {
    throw new SluiceError("DOCUMENT_INVALID", `${source.file}: no id is that of a row of ${logFile}`, {
      hint: "Predict the rows of log.jsonl, and keep their ids.",
    });
  }
  return [...judged].filter(([id]) => half.has(id));
}

const cellOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
