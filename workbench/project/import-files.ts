import { counted } from "../../src/domain/number-text.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { projectFileName } from "./step-names.js";
import { parseCatalog } from "../../src/catalog/load.js";
import { SluiceError } from "../../src/errors/error.js";
import { keepDataset } from "../data/keep-dataset.js";
import { readInput } from "../read-input.js";
import { keepRecord, type Stage } from "../records/stage.js";
import type { ProjectFile } from "./project-file.js";
import type { FinishedStep } from "./run-steps.js";

/** A file of a project, read once, so that the hashed bytes are the imported bytes. */
interface ReadFile {
  readonly path: string;
  readonly bytes: Buffer;
}

export interface ProjectFiles {
  readonly catalog: ReadFile;
  readonly requests: ReadFile;
}

/** The files that a project names. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED */
export async function readProjectFiles({ catalog, requests }: ProjectFile): Promise<ProjectFiles> {
  const read = async (path: string): Promise<ReadFile> => ({ path, bytes: await readInput(path) });
  return { catalog: await read(catalog), requests: await read(requests) };
}

/**
 * Saves catalog and requests of a project. A project without requests stops here: its catalog can be tried and promises
 * nothing.
 * @throws {SluiceError} those of reading; DATASET_INVALID  a request names a workflow that the catalog lacks
 */
export function importFiles(stage: Stage, files: ProjectFiles): FinishedStep {
  const { bytes } = files.catalog;
  const catalog = parseCatalog(bytes, files.catalog.path);
  const workflows = counted(catalog.workflows.length, "workflow");
  if (files.requests.bytes.toString("utf8").trim() === "") {
    keepRecord(stage, "catalog", bytes);
    return {
      outputs: { catalog: catalog.sha256 },
      summary: `${workflows}, no requests`,
      stop: `${files.requests.path} contains no labelled request: nothing can be measured, so no claim can be made`,
    };
  }
  const rows = readJsonl(files.requests.bytes, files.requests.path);
  const known = new Set(catalog.workflows.map(({ workflowId }) => workflowId));
  const strange = rows.find(({ workflowId }) => workflowId !== null && !known.has(workflowId));
  if (strange !== undefined) {
    throw new SluiceError(
      "DATASET_INVALID",
      `${files.requests.path}: request ${strange.id} has the workflow ${strange.workflowId}, which is missing from ${files.catalog.path}`,
      { hint: "Add the workflow to the catalog, or correct the request." },
    );
  }
  keepRecord(stage, "catalog", bytes);
  const { sha256 } = keepDataset(stage, rows, { format: "jsonl", project: projectFileName });
  const outOfScope = rows.filter(({ workflowId }) => workflowId === null).length;
  return {
    outputs: { dataset: sha256, catalog: catalog.sha256 },
    summary: `${workflows}, ${counted(rows.length, "request")}, ${outOfScope} out of scope`,
  };
}
