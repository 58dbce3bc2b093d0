import { counted } from "../src/documents/number-text.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { command, say, SluiceError } from "../src/base/error.js";

const namedWorkflows = 5;

/**
 * Refuses records that were scored with a different catalog: metrics across two catalogs are meaningless.
 * @throws {SluiceError} DOCUMENT_INVALID  a label or a candidate is not in the catalog; names at most five
 */
export function requireWorkflowsOf(catalog: Catalog, records: readonly ScoredRecord[]): void {
  const known = new Set(catalog.workflows.map(({ workflow_id: workflowId }) => workflowId));
  const foreign = new Set<string>();
  for (const { workflow_id: workflowId, candidates } of records) {
    if (workflowId !== null && !known.has(workflowId)) foreign.add(workflowId);
    for (const candidate of candidates) if (!known.has(candidate.workflow_id)) foreign.add(candidate.workflow_id);
  }
  if (foreign.size === 0) return;
  const named = [...foreign].sort().slice(0, namedWorkflows).join(", ");
  const message = `found ${counted(foreign.size, "workflow that is", "workflows that are")} missing from the catalog of the run: ${named}`;
  throw new SluiceError("DOCUMENT_INVALID", `${message}; expected the workflows of one catalog`, {
    hint: say`Import the dataset with its catalog, split it and score it again: ${command`sluice eval run`}`,
  });
}
