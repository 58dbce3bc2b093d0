import { type ProductionProblem, productionProblems } from "../../src/router/catalog/rules.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

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

/**
 * Where each workflow of a catalog file begins, by its id; lines count from 1. Empty for a file that is no catalog. The
 * first of two workflows with one id is named.
 */
function workflowLines(bytes: Uint8Array): ReadonlyMap<string, number> {
  const lineCounter = new LineCounter();
  const document = parseDocument(Buffer.from(bytes).toString("utf8"), { lineCounter });
  const workflows = document.get("workflows");
  const lines = new Map<string, number>();
  if (!isSeq(workflows)) return lines;
  for (const item of workflows.items) {
    if (!isMap(item)) continue;
    const id = item.get("workflow_id", true);
    const offset = item.range?.[0];
    if (!isScalar(id) || typeof id.value !== "string" || offset === undefined || lines.has(id.value)) continue;
    lines.set(id.value, lineCounter.linePos(offset).line);
  }
  return lines;
}
