import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { foldOf, splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { clusterOf } from "../../src/documents/dataset.js";
import type { Fold } from "../../src/documents/choices.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import type { Protocol } from "./protocol.js";

/** Seed and fold shares of the demonstration, whose FIT fold the shipped checkpoint was trained on. */
const demonstration = { seed: 1, fractions: { fit: 0.25, tune: 0.15, certify: 0.45, eval: 0.15 } } as const;

/**
 * Requests of one or more folds of the demonstration, and the whole catalog of the shipped service desk.
 * @param wanted  folds; all but FIT are unseen by the shipped checkpoint
 */
export async function serviceDeskProtocol(wanted: readonly Fold[] = ["eval"]): Promise<Protocol> {
  const catalog = await serviceDeskCatalog();
  const rows = serviceDeskRequests();
  const dataset = { sha256: sha256Hex(datasetBytes(rows)), rows };
  const folds = foldOf(splitByWorkflow({ dataset, catalog, ...demonstration }));
  const asked = rows.filter((row) => wanted.some((fold) => folds.get(clusterOf(row)) === fold));
  return { catalog, rows: asked, removed: new Set() };
}
