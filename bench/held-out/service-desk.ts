import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { foldOf, splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { clusterOf } from "../../src/domain/dataset.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import type { Protocol } from "./protocol.js";

/** Seed and shares of the demonstration, whose FIT fold the shipped checkpoint has read. */
const demonstration = { seed: 1, fractions: { fit: 0.25, tune: 0.15, certify: 0.45, eval: 0.15 } } as const;

/** The requests of the demonstration's EVAL fold over the whole catalog of the shipped service desk. */
export async function serviceDeskProtocol(): Promise<Protocol> {
  const catalog = await serviceDeskCatalog();
  const rows = serviceDeskRequests();
  const dataset = { sha256: sha256Hex(datasetBytes(rows)), rows };
  const folds = foldOf(splitByWorkflow({ dataset, catalog, ...demonstration }));
  return { catalog, rows: rows.filter((row) => folds.get(clusterOf(row)) === "eval"), removed: new Set() };
}
