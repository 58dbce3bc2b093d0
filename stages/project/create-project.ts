import type { RiskTier } from "../../src/documents/choices.js";
import { type InitializedProject, initProject, type SourceSettings } from "./init-project.js";
import { projectName } from "./project-name.js";
import { readSourceFiles } from "./read-source-files.js";
import type { ShippedModels } from "../../src/documents/choices.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** The source of a project, and where to write it. */
export interface CreateProjectOptions {
  /** Folder of the project; created when it does not exist. */
  readonly folder: string;
  /** File or folder with labelled requests or tool definitions, in any form that `sluice init` recognises. */
  readonly source: string;
  /** Team that owns the workflows. Default: the actor of the workbench. */
  readonly owner?: string | undefined;
  /** Risk tier of every workflow until the catalog is edited. Default "medium". */
  readonly tier?: RiskTier;
  /** Seed of the draw of examples, 32-bit integer, at least 0. Default 1. */
  readonly seed?: number;
  /** Models to route with: `fast` is less accurate, at a fraction of the cost. Default "default". */
  readonly models?: ShippedModels;
  /** Columns, labels and language of the source. Default: recognised from the bytes. */
  readonly choices?: SourceSettings;
}

/**
 * Drafts a project from a source and writes it: `catalog.yaml` to edit, `requests.jsonl` that measures it, and
 * `sluice.yaml`. A file that exists with other content is never touched: the draft is written next to it as `.proposed`.
 *
 * @example await createProject(workbench, { folder: "my-router", source: "tickets.csv", owner: "support" });
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, TOO_LARGE, FORMAT_UNKNOWN, DATASET_EMPTY  no workflow is named;
 *   FILE_EXISTS  an earlier proposal waits to be merged
 */
export async function createProject(
  workbench: WorkbenchContext,
  options: CreateProjectOptions,
): Promise<InitializedProject> {
  const {
    folder,
    source,
    owner = workbench.actor,
    tier = "medium",
    seed = 1,
    models = "default",
    choices = {},
  } = options;
  return initProject({
    folder,
    files: await readSourceFiles(source),
    name: projectName(source),
    owner,
    tier,
    seed,
    shipped: models,
    choices,
  });
}
