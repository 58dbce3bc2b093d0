import { type ProductionProblem, productionProblems } from "../../src/catalog/rules.js";
import type { Catalog } from "../../src/domain/catalog.js";
import { workflowLines } from "./workflow-lines.js";

/** A catalog and the file that it was read from. */
export interface CatalogOnDisk {
  readonly catalog: Catalog;
  readonly bytes: Uint8Array;
  /** How messages call the file. */
  readonly name: string;
}

/**
 * What keeps a catalog out of production, each with the line of its workflow: `manifest create` refuses the catalog
 * as it is.
 * @param limit  problems that are written out; the rest is counted
 */
export async function productionWarnings(
  { catalog, bytes, name }: CatalogOnDisk,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const problems = productionProblems(catalog);
  if (problems.length === 0) return [];
  const lines = workflowLines(bytes);
  const shown = problems.slice(0, limit).map((problem) => warning(problem, name, lines));
  const hidden = problems.length - shown.length;
  const more = `not ready for production: ${hidden} more; see all with: sluice catalog check ${name}`;
  return hidden > 0 ? [...shown, more] : shown;
}

function warning({ workflowId, message }: ProductionProblem, name: string, lines: ReadonlyMap<string, number>): string {
  const line = lines.get(workflowId);
  return `not ready for production: ${name}${line === undefined ? "" : `:${line}`}: ${message}`;
}
