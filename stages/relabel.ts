import { optionsOf, requireOptions } from "./checked-options.js";
import { BadRows } from "../datasets/bad-rows.js";
import { freeId, requestIds } from "../datasets/free-id.js";
import { textKey } from "../datasets/near-duplicates.js";
import { decodeUtf8, jsonLines, readJsonl } from "../datasets/read-jsonl.js";
import { SluiceError } from "../src/base/error.js";
import { readInput, replaceFile } from "../src/base/files.js";
import { suggest } from "../src/base/suggest.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { loadCatalog } from "../src/router/catalog/load.js";
import { readProject } from "../store/project/project-file.js";

/** A row of a project's labelled requests, and its right label. */
export interface RelabelOptions {
  /** The project file. */
  readonly file: string;
  /** Id of the row. */
  readonly id: string;
  /** The right workflow; null: the request is out of scope. */
  readonly label: string | null;
  /** Why the old label is wrong; approvers read it. */
  readonly reason: string;
}

/** What was written. */
export interface RelabelledRow {
  readonly requests: string;
  readonly id: string;
  /** Id of the row with the right label. */
  readonly corrected: string;
  readonly from: WorkflowId | null;
  readonly to: WorkflowId | null;
  /** Workflow in the catalog that still has the text as an example; null if none has. */
  readonly example_of: WorkflowId | null;
}

const relabelOptions = optionsOf<RelabelOptions>()({ string: ["file", "id", "reason"], "string|null": ["label"] });

/**
 * Corrects the label of one request of a project in one step: withdraws the row with a reason, and adds a row with the
 * right label. Neither is tested after that; the release page lists the edit.
 *
 * @example await relabelRequest({ file: "shop/sluice.yaml", id: "line-15", label: "refund", reason: "asks for money" });
 * @throws {SluiceError} RECORD_NOT_FOUND  no row has this id; USAGE  the catalog has no such workflow, or the row has this
 *   label or is withdrawn already; FILE_NOT_FOUND, DOCUMENT_INVALID, WRITE_FAILED
 */
export async function relabelRequest(options: RelabelOptions): Promise<RelabelledRow> {
  requireOptions("relabelRequest", options, relabelOptions, ["file", "id", "reason"]);
  const { id, label, reason } = options;
  const { requests: file, catalog: catalogFile } = await readProject(options.file);
  const { workflows } = (await loadCatalog(catalogFile)).catalog;
  const bytes = await readInput(file);
  const rows = readJsonl(bytes, file);
  const row = rows.find((one) => one.id === id);
  if (row === undefined) {
    throw new SluiceError("RECORD_NOT_FOUND", `${file}: no row has the id "${id}"`, {
      hint: "sluice eval errors shows the ids.",
    });
  }
  const to = labelIn(
    workflows.map(({ workflow_id: workflowId }) => workflowId),
    label,
  );
  requireOpen(row, to);
  const corrected = freeId(`${id}-corrected`, new Set(rows.map((one) => one.id)), requestIds);
  const edited = [
    { ...row, withdrawn: reason },
    { ...row, id: corrected, workflow_id: to },
  ];
  await replaceFile(file, withRows(bytes, { file, id, rows: edited }), fileMode);
  const key = textKey(row.text);
  const teaches = workflows.find(
    (one) => one.workflow_id !== to && one.examples.some((example) => textKey(example) === key),
  );
  return { requests: file, id, corrected, from: row.workflow_id, to, example_of: teaches?.workflow_id ?? null };
}

const fileMode = 0o644;

/** A file of requests with the line of one request replaced; every other line remains as it is. */
function withRows(
  bytes: Uint8Array,
  { file, id, rows }: { readonly file: string; readonly id: string; readonly rows: readonly LabelledRequest[] },
): Buffer {
  const lines = decodeUtf8(bytes, file).split("\n");
  const replaced = [...jsonLines(bytes, file, new BadRows())].find(({ value }) => (value as LabelledRequest).id === id);
  if (replaced !== undefined) lines.splice(replaced.line - 1, 1, ...rows.map((row) => JSON.stringify(row)));
  return Buffer.from(lines.join("\n"));
}

function labelIn(known: readonly WorkflowId[], label: string | null): WorkflowId | null {
  if (label === null) return null;
  const found = known.find((one) => one === label);
  if (found !== undefined) return found;
  const nearest = suggest(label, known);
  throw new SluiceError("USAGE", `the catalog has no workflow "${label}"`, {
    hint: nearest === null ? "Name a workflow of the catalog, or none for out of scope." : `Did you mean ${nearest}?`,
  });
}

function requireOpen({ id, workflow_id: from, withdrawn }: LabelledRequest, to: WorkflowId | null): void {
  if (withdrawn !== undefined)
    throw new SluiceError("USAGE", `row "${id}" is withdrawn already: ${withdrawn}`, {
      hint: "Correct the row with the right label instead.",
    });
  if (from === to)
    throw new SluiceError("USAGE", `row "${id}" has this label already`, { hint: "Name the right label." });
}
