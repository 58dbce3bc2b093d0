import { dirHash1, readDirectory } from "../../src/artifacts/directory-hash.js";
import { InferencePool } from "../../src/inference/pool.js";
import { type CheckedModel, checkModel } from "../models/check-model.js";
import { stepOf } from "../step-progress.js";
import type { WorkbenchContext } from "../workbench-context.js";

/** A model folder that was compared with what its runs show, and its directory digest. */
export interface CheckedFolder extends CheckedModel {
  readonly dirHash1: string;
}

/** Compares `router_model.json` of a folder with its files and with runs of the model. @throws {SluiceError} MODEL_INVALID */
export async function checkFolder({ signal, progress }: WorkbenchContext, folder: string): Promise<CheckedFolder> {
  const { files, entries } = await readDirectory(folder);
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const checked = await checkModel(files, { pool, signal, onRun: stepOf(progress, "probe") });
    return { ...checked, dirHash1: dirHash1(entries) };
  } finally {
    await pool.close();
  }
}
