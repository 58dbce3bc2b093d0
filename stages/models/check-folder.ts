import { dirHash1, readDirectory } from "../../src/trust/directory-hash.js";
import { InferencePool } from "../../src/inference/pool.js";
import { type CheckedModel, checkModel } from "../../train/exports/check-model.js";
import { readRegularInput } from "../../src/base/files.js";
import { stepOf } from "../../store/step-progress.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** A model folder that was compared with what its runs show, and its directory digest. */
export interface CheckedFolder extends CheckedModel {
  readonly dirHash1: string;
}

/** What the export's own library makes of texts, and the largest difference that counts as equal. */
export interface ExpectedOfModel {
  readonly file: string;
  readonly tolerance: number;
}

/**
 * Compares `router_model.json` of a folder with its files, with runs of the model and with expectations.
 * @throws {SluiceError} MODEL_INVALID; with expectations also USAGE, FILE_NOT_FOUND, FILE_TYPE_REFUSED, SYNTAX_INVALID, SCHEMA_INVALID
 */
export async function checkFolder(
  { signal, progress }: WorkbenchContext,
  folder: string,
  expected: ExpectedOfModel | null = null,
): Promise<CheckedFolder> {
  const { files, entries } = await readDirectory(folder);
  const expectations = expected === null ? null : { ...expected, bytes: await readRegularInput(expected.file) };
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const checked = await checkModel(files, { pool, signal, onRun: stepOf(progress, "probe") }, expectations);
    return { ...checked, dirHash1: dirHash1(entries) };
  } finally {
    await pool.close();
  }
}
