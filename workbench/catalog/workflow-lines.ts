import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

/**
 * Where each workflow of a catalog file begins, by its id; lines count from 1. Empty for a file that is no catalog. The
 * first of two workflows with one id is named.
 */
export function workflowLines(bytes: Uint8Array): ReadonlyMap<string, number> {
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
